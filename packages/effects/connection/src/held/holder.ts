import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Environment } from '@davit/process'
import { connectionLost } from '../channel-exit.ts'
import type { HeldLink } from './held-link.ts'
import { HeldLinks } from './held-links.ts'
import { serveSession } from './holder-session.ts'
import { pairs } from './pairs.ts'
import { makePlace } from './place.ts'
import { encodeLine, type Opening, OPENINGS, parseLine, PROTOCOL } from './protocol.ts'
import { readFirstLine } from './read-lines.ts'
import { relayChannel } from './relay-channel.ts'
import { encodeError } from './wire-error.ts'

/** Holds connections for other processes of the same user. */
export interface Holder {
  /** Path of the socket. */
  readonly socket: string
  close(): Promise<void>
}

export interface HolderOptions {
  /** Its TMPDIR is where the socket is made. */
  readonly environment: Environment
  /** Milliseconds, by default of a clock that always goes forward. */
  readonly now?: () => number
}

/** How long a process may take to say what it wants. */
const OPENING_MILLISECONDS = 10_000

/** As many processes as may wait to be served; the system may allow fewer. */
const BACKLOG = 4096

export async function holdConnections({ environment, now = () => performance.now() }: HolderOptions): Promise<Holder> {
  const place = await makePlace(environment)
  const links = new HeldLinks({ environment, now })
  const sockets = new Set<Socket>()
  const serve = servant(links)
  // Each direction of a channel ends by itself.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
    void serve(socket)
  })
  const socket = join(place.directory, 'socket')
  try {
    server.listen({ path: socket, backlog: BACKLOG })
    await once(server, 'listening')
  } catch (error) {
    place.remove()
    throw error
  }
  return {
    socket,
    async close() {
      server.close()
      for (const open of sockets) open.destroy()
      place.remove()
      await links.close()
    },
  }
}

/** Returns the function that serves a socket; it never fails, whatever the other side sends. */
function servant(links: HeldLinks): (socket: Socket) => Promise<void> {
  const numbered = new Map<number, HeldLink>()
  const numbers = new WeakMap<HeldLink, number>()
  let last = 0
  const numberOf = (held: HeldLink): number => {
    const known = numbers.get(held)
    if (known !== undefined) return known
    last += 1
    const number = last
    numbers.set(held, number)
    numbered.set(number, held)
    held.link.onEnd(() => numbered.delete(number))
    return number
  }
  const dataOf = pairs(OPENING_MILLISECONDS)
  const run = async (control: Socket, { channel: name, link, script }: Extract<Opening, { kind: 'run' }>) => {
    const data = await dataOf.take(name)
    if (data === undefined) return void control.destroy()
    try {
      const held = numbered.get(link)
      if (held === undefined) throw connectionLost('', 'the link is gone')
      const channel = await held.run(script)
      await relayChannel(channel, control, data)
    } catch (error) {
      data.destroy()
      control.resume().end(encodeLine({ kind: 'refused', error: encodeError(error) }))
    }
  }
  return async (socket) => {
    const opening = parseLine((await readFirstLine(socket, OPENING_MILLISECONDS)) ?? '', OPENINGS)
    if (opening?.kind === 'data') dataOf.give(opening.channel, socket)
    else if (opening?.kind === 'run') await run(socket, opening)
    else if (opening?.protocol === PROTOCOL) serveSession(socket, opening, { links, numberOf })
    else socket.destroy()
  }
}
