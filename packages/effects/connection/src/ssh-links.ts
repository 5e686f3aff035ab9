import { setMaxListeners } from 'node:events'
import { askSsh, askSshDefaults } from './ask-ssh.ts'
import { connectionsClosing } from './channel-exit.ts'
import { handshakeLanes } from './handshake-lanes.ts'
import { limiter } from './limiter.ts'
import { openLink } from './open-link.ts'
import { shared } from './shared.ts'
import { sshAnswers } from './ssh-answers.ts'
import type { SshConfiguration } from './ssh-configuration.ts'
import type { SshLink } from './ssh-link.ts'
import type { SshOptions } from './ssh-options.ts'
import { findRoute, routeKey, type SshRoute } from './ssh-route.ts'

/** Links to machines: one for each account, however often it is requested. Jump hosts are shared as well. */
export interface SshLinks {
  link(address: string): Promise<SshLink>
  /** Closes links that are open or being opened, later ones first, since they may go through earlier ones. */
  close(): Promise<void>
}

/** Handshakes at a time. */
export const HANDSHAKES = 4
/** Attempts in all when a server hangs up. */
export const ATTEMPTS = 5

export function sshLinks(options: SshOptions): SshLinks {
  const closing = new AbortController()
  const signal = options.signal === undefined ? closing.signal : AbortSignal.any([options.signal, closing.signal])
  setMaxListeners(0, signal)
  const lanes = handshakeLanes(options.handshakes ?? limiter(HANDSHAKES))
  const context = { attempts: ATTEMPTS, ...options, lanes, signal }
  const { configurations, texts } = options.answers ?? sshAnswers()
  const defaults = (): Promise<string> => texts.get('defaults', () => askSshDefaults(context))
  const links = shared<SshLink>()
  const opened: SshLink[] = []
  const ask = (address: string, role: 'target' | 'jump-host'): Promise<SshConfiguration> =>
    configurations.get(`${role} ${address}`, () => askSsh(address, { ...context, role, defaults }))
  const open = async ({ host, through }: SshRoute): Promise<SshLink> => {
    const link = await openLink(host, through === undefined ? undefined : await linkAlong(through), context)
    opened.unshift(link)
    if (signal.aborted) await link.close()
    signal.throwIfAborted()
    return link
  }
  const linkAlong = (route: SshRoute): Promise<SshLink> => {
    const key = routeKey(route)
    return links.get(key, async () => {
      const link = await open(route)
      link.onEnd(() => links.forget(key))
      return link
    })
  }
  return {
    link: async (address) => linkAlong(await findRoute(address, ask)),
    async close() {
      closing.abort(connectionsClosing())
      for (const link of opened) await link.close()
    },
  }
}
