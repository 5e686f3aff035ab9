import type { Duplex } from 'node:stream'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { Algorithms, Client, ConnectConfig } from 'ssh2'
import type { Authentication } from './authentication.ts'
import type { HostKeyPolicy } from './host-key-policy.ts'
import { gatherWrites } from './gather-writes.ts'
import { loadSsh2 } from './load-ssh2.ts'
import type { SshConfiguration } from './ssh-configuration.ts'
import { reasonOf, unreachable } from './ssh-error.ts'

export type HandshakeOutcome =
  | { readonly kind: 'ready'; readonly client: Client; readonly hostKey: Buffer }
  /** sshd hung up before it sent its key, perhaps because of too many connections. */
  | { readonly kind: 'dropped'; readonly error: DavitError }

export interface HandshakeOptions {
  /** Required, since ssh2 accepts any host key if there is no verifier. */
  readonly hostKeys: HostKeyPolicy
  readonly authentication: Authentication
  readonly signal: AbortSignal
}

/** Does the ssh handshake and authentication over a stream; the host key is verified before the user's name is sent. */
export async function handshake(
  stream: Duplex,
  configuration: SshConfiguration,
  options: HandshakeOptions,
): Promise<HandshakeOutcome> {
  const { Client } = await loadSsh2()
  const client = new Client()
  const { hostKeys } = options
  let hostKey: Buffer | undefined
  let refusal: DavitError | undefined
  const verify = (key: Buffer): boolean => {
    refusal = hostKey === undefined ? hostKeys.check(key) : sameKey(configuration, hostKey, key)
    hostKey ??= key
    return refusal === undefined
  }
  try {
    const connecting = untilReady(client, options)
    client.connect(connectConfig(stream, configuration, { ...options, verify }))
    await connecting
    if (hostKey === undefined) throw new DavitError('host-key-unknown', `'${configuration.address}' sent no host key`)
    await hostKeys.remember(hostKey)
    return { kind: 'ready', client, hostKey }
  } catch (error) {
    stream.destroy()
    client.on('error', () => {})
    if (refusal !== undefined) throw refusal
    if (error instanceof DavitError) throw error
    const failure = handshakeFailure(error, configuration, options)
    // One that is silent for so long would be so again, and whoever waits would wait as often.
    const isDropped = hostKey === undefined && failure.code === 'unreachable' && levelOf(error) !== 'client-timeout'
    if (isDropped) return { kind: 'dropped', error: failure }
    throw failure
  }
}

/** Rejects with ssh2's error, or with nothing when the link closed. */
async function untilReady(client: Client, { signal }: HandshakeOptions): Promise<void> {
  let abort = (): void => {}
  try {
    await new Promise<void>((resolve, reject) => {
      abort = () => reject(signal.reason)
      if (signal.aborted) abort()
      signal.addEventListener('abort', abort, { once: true })
      client.once('ready', resolve)
      client.on('error', (error) => {
        // The agent failed on one key; the next is tried.
        if (error.level !== 'agent') reject(error)
      })
      client.once('close', () => reject(undefined))
    })
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

interface ConnectOptions extends HandshakeOptions {
  readonly verify: (key: Buffer) => boolean
}

function connectConfig(stream: Duplex, configuration: SshConfiguration, options: ConnectOptions): ConnectConfig {
  const { hostKeys, authentication, verify } = options
  return {
    sock: gatherWrites(stream),
    username: configuration.user,
    hostVerifier: verify,
    readyTimeout: configuration.connectTimeoutSeconds * 1000,
    keepaliveInterval: configuration.keepalive.seconds * 1000,
    keepaliveCountMax: configuration.keepalive.count,
    algorithms: algorithmsOf(configuration, hostKeys),
    authHandler: (offered, _partial, next) => {
      const way = authentication.next(offered)
      // The types of ssh2 do not say that false means "no more".
      next(way as Exclude<typeof way, false>)
    },
  }
}

/** Algorithms that the configuration names; ssh2 chooses the others. */
function algorithmsOf(configuration: SshConfiguration, hostKeys: HostKeyPolicy): Algorithms {
  const { kexAlgorithms, ciphers, macs, compression } = configuration
  const named = {
    kex: kexAlgorithms,
    cipher: ciphers,
    hmac: macs,
    serverHostKey: hostKeys.algorithms,
    compress: compression ? ['zlib@openssh.com', 'zlib', 'none'] : [],
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(Object.entries(named).filter(([, list]) => list.length > 0)) as Algorithms
}

function sameKey({ address }: SshConfiguration, before: Buffer, now: Buffer): DavitError | undefined {
  if (now.equals(before)) return undefined
  return new DavitError('host-key-changed', `the host key of '${address}' changed on an open connection`, {
    exitStatus: ExitStatus.permission,
  })
}

function handshakeFailure(error: unknown, configuration: SshConfiguration, options: HandshakeOptions): DavitError {
  const { address, connectTimeoutSeconds } = configuration
  if (options.signal.aborted) throw options.signal.reason
  const level = levelOf(error)
  if (level === 'client-authentication') return options.authentication.failure()
  if (level === 'client-timeout') {
    return unreachable(address, `no ssh handshake within ${connectTimeoutSeconds} s`, { cause: error })
  }
  const reason = error === undefined ? 'connection closed during the ssh handshake' : reasonOf(error)
  if (/authentication/i.test(reason)) return options.authentication.failure(reason)
  return unreachable(address, reason, { cause: error })
}

/** The part of ssh2 from which an error comes. */
function levelOf(error: unknown): unknown {
  return error instanceof Error && 'level' in error ? error.level : undefined
}
