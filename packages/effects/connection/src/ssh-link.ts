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
  readonly lost: Promise<DavitError>
  /** Calls back when the link has ended, by `close` (without an error) or by loss; the result removes the listener. */
  onEnd(listener: EndListener): () => void
  /** Opens a stream from the server to another machine. */
  forward(configuration: SshConfiguration): Promise<Duplex>
  close(): Promise<void>
}

type EndListener = (error: DavitError | undefined) => void

export function sshLink(configuration: SshConfiguration, client: Client, stream: Duplex): SshLink {
  const { address } = configuration
  const listeners = new Set<EndListener>()
  let isClosing = false
  let reason = 'the server closed it'
  client.on('error', (error) => {
    reason = reasonOf(error)
    // ssh2 ends its half and waits for a peer that may be gone.
    stream.destroy()
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
    lost: new Promise((resolve) => void ended.then((error) => error && resolve(error))),
    onEnd(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    forward: (next) => forward(client, next, address),
    async close() {
      isClosing = true
      client.end()
      const answered = new AbortController()
      const late = delay(CLOSE_MILLISECONDS, undefined, answered).catch(() => {})
      await Promise.race([ended, late])
      answered.abort()
      stream.destroy()
    },
  }
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
