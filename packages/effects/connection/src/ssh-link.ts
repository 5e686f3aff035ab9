import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { DavitError } from '@davit/diagnostics'
import type { Client } from 'ssh2'
import { connectionLost } from './channel-exit.ts'
import type { SshConfiguration } from './ssh-configuration.ts'
import { reasonOf, unreachable } from './ssh-error.ts'

/** How long a server may take to close its side. */
const CLOSE_MILLISECONDS = 1_000

/** An authenticated client that reports the loss of its server. */
export interface SshLink {
  readonly configuration: SshConfiguration
  readonly client: Client
  /** Key with which the server proved its identity. */
  readonly hostKey: Buffer
  readonly lost: Promise<DavitError>
  /** Calls back when the link has ended, by `close` (without an error) or by loss; the result removes the listener. */
  onEnd(listener: EndListener): () => void
  /** Opens a stream from the server to another machine. */
  forward(configuration: SshConfiguration): Promise<Duplex>
  /** Whether the server answers within that time. */
  answers(milliseconds: number): Promise<boolean>
  close(): Promise<void>
}

type EndListener = (error: DavitError | undefined) => void

export interface AuthenticatedClient {
  readonly client: Client
  readonly hostKey: Buffer
  readonly stream: Duplex
}

export function sshLink(configuration: SshConfiguration, { client, hostKey, stream }: AuthenticatedClient): SshLink {
  const { address } = configuration
  const listeners = new Set<EndListener>()
  let isClosing = false
  let reason = 'the server closed it'
  client.on('error', (error) => {
    reason = reasonOf(error)
    // ssh2 ends its half and waits for a peer that may be gone.
    abandon(stream)
  })
  const ended = new Promise<DavitError | undefined>((resolve) => {
    client.once('close', () => {
      const error = isClosing ? undefined : connectionLost(address, reason)
      for (const listener of listeners) listener(error)
      resolve(error)
    })
  })
  return {
    configuration,
    client,
    hostKey,
    lost: new Promise((resolve) => void ended.then((error) => error && resolve(error))),
    onEnd(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    forward: (next) => forward(client, next, address),
    answers: (milliseconds) => within(milliseconds, Promise.race([answerOf(client), ended.then(() => false)])),
    async close() {
      isClosing = true
      client.end()
      if ((await within(CLOSE_MILLISECONDS, ended)) === false) abandon(stream)
      stream.destroy()
    },
  }
}

/** Gives a stream up. What the other end has not received is not sent again: it must not arrive while others are at work. */
export function abandon(stream: Duplex): void {
  if (stream instanceof Socket) stream.resetAndDestroy()
  else stream.destroy()
}

/** Resolves with the value of a promise, or with false when the time is over. */
async function within<Value>(milliseconds: number, promise: Promise<Value>): Promise<Value | false> {
  const settled = new AbortController()
  const late = delay(milliseconds, false as const, settled).catch(() => false as const)
  try {
    return await Promise.race([promise, late])
  } finally {
    settled.abort()
  }
}

/** Sends a request that changes nothing, and waits for the answer; ssh2 does not tell when its own keep-alive is answered. */
function answerOf(client: Client): Promise<boolean> {
  return new Promise((resolve) => {
    try {
      // Nothing is forwarded, so the server refuses to end it.
      client.unforwardIn('127.0.0.1', 0, () => resolve(true))
    } catch {
      resolve(false)
    }
  })
}

function forward(client: Client, { address, hostname, port }: SshConfiguration, through: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void =>
      reject(
        unreachable(address, `${refusalOf(error)} (${hostname} port ${port}, through '${through}')`, { cause: error }),
      )
    try {
      client.forwardOut('127.0.0.1', 0, hostname, port, (error, channel) => {
        if (error) fail(error)
        else resolve(channel)
      })
    } catch (error) {
      fail(error)
    }
  })
}

function refusalOf(error: unknown): string {
  return reasonOf(error)
    .replace(/^\(SSH\) channel open failure: /i, '')
    .toLowerCase()
}
