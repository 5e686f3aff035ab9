import type { Socket } from 'node:net'
import { setMaxListeners } from 'node:events'
import type { Report } from '@davit/diagnostics'
import type { Environment } from '@davit/process'
import { askSsh, askSshDefaults } from '../ask-ssh.ts'
import { connectionLost } from '../channel-exit.ts'
import { onlyHop, requestText } from '../hops.ts'
import { shared } from '../shared.ts'
import type { SshConfiguration } from '../ssh-configuration.ts'
import { findRoute, type SshRoute } from '../ssh-route.ts'
import type { HeldLink } from './held-link.ts'
import type { HeldLinks } from './held-links.ts'
import { type Answer, encodeLine, type Opening, parseLine, type Request, REQUESTS } from './protocol.ts'
import { readLines } from './read-lines.ts'
import { encodeError } from './wire-error.ts'

type SessionOpening = Extract<Opening, { readonly kind: 'session' }>

export interface SessionTerms {
  readonly links: HeldLinks
  /** Returns the number under which scripts are started on a link. */
  readonly numberOf: (held: HeldLink) => number
}

/** Serves one tool until it closes the socket. */
export function serveSession(socket: Socket, opening: SessionOpening, { links, numberOf }: SessionTerms): void {
  const over = new AbortController()
  setMaxListeners(0, over.signal)
  const say = (answer: Answer): void => {
    if (socket.writable) socket.write(encodeLine(answer))
  }
  const report: Report = (event) => {
    if ('code' in event) say({ kind: 'report', event })
  }
  const routeTo = routeFinder({ ...opening, signal: over.signal })
  const watch = lossWatch(say, over.signal)
  const connect = async ({ id, hops, isReturning }: Extract<Request, { kind: 'connect' }>): Promise<void> => {
    try {
      const route = await routeTo(onlyHop(hops).address)
      const held = await links.link(route, { report, isReturning, attempts: opening.attempts })
      if (held.isOver) throw connectionLost(requestText(hops), 'the server closed it')
      const link = numberOf(held)
      watch(held, link)
      say({ kind: 'connected', id, link })
    } catch (error) {
      say({ kind: 'failed', id, error: encodeError(error) })
    }
  }
  socket.once('end', () => socket.destroy()).once('close', () => over.abort())
  say({ kind: 'welcome' })
  readLines(socket, (line) => {
    const request = parseLine(line, REQUESTS)
    if (request === undefined) return 'bad'
    if (request.kind === 'ping') say({ kind: 'pong' })
    else void connect(request)
    return 'go-on'
  })
}

/** Each tool asks ssh anew, in its own environment and directory, so that it reaches what it would reach by itself. */
function routeFinder(context: {
  readonly environment: Environment
  readonly directory: string
  readonly signal: AbortSignal
}): (address: string) => Promise<SshRoute> {
  const texts = shared<string>()
  const configurations = shared<SshConfiguration>()
  const defaults = (): Promise<string> => texts.get('defaults', () => askSshDefaults(context))
  const ask = (address: string, role: 'target' | 'jump-host'): Promise<SshConfiguration> =>
    configurations.get(`${role} ${address}`, () => askSsh(address, { ...context, role, defaults }))
  return (address) => findRoute(address, ask)
}

/** Tells a tool, until it is gone, of the loss of each link that it was given. */
function lossWatch(say: (answer: Answer) => void, gone: AbortSignal): (held: HeldLink, link: number) => void {
  const watched = new Set<number>()
  return ({ link: { onEnd, configuration } }, link) => {
    if (watched.has(link)) return
    watched.add(link)
    const unwatch = onEnd((error = connectionLost(configuration.address, 'it did not answer')) => {
      say({ kind: 'lost', link, error: encodeError(error) })
    })
    gone.addEventListener('abort', unwatch, { once: true })
  }
}
