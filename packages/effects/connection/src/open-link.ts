import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { traced } from '@davit/diagnostics'
import { authentication } from './authentication.ts'
import { connectSocket } from './connect-socket.ts'
import { handshake, type HandshakeOutcome } from './handshake.ts'
import type { HandshakeLanes } from './handshake-lanes.ts'
import { hostKeyPolicy } from './host-key-policy.ts'
import { readIdentities } from './identities.ts'
import { say } from './messages.ts'
import type { SshConfiguration } from './ssh-configuration.ts'
import { sshLink, type SshLink } from './ssh-link.ts'
import type { SshOptions } from './ssh-options.ts'

export type OpenContext = SshOptions &
  Required<Pick<SshOptions, 'attempts' | 'signal'>> & { readonly lanes: HandshakeLanes }

/** Connects, directly or through another link, and tries again when sshd hangs up because of too many connections. */
export async function openLink(
  host: SshConfiguration,
  through: SshLink | undefined,
  context: OpenContext,
): Promise<SshLink> {
  const configuration = through === undefined ? host : { ...host, ciphers: withoutHanging(host.ciphers) }
  const { signal, lanes, attempts, report, trace } = context
  const place = configuration.address
  const server = `${configuration.hostname}:${configuration.port}`
  const [hostKeys, identities] = await Promise.all([
    hostKeyPolicy(configuration, report),
    readIdentities(configuration),
  ])
  const attempt = async (): Promise<HandshakeOutcome & { readonly stream: Duplex }> => {
    const connect = () => through?.forward(configuration) ?? connectSocket(configuration, signal)
    const stream = await traced(trace, { kind: 'ssh', name: 'connect', place }, connect)
    const proof = await authentication(configuration, identities)
    const greet = () => handshake(stream, configuration, { hostKeys, authentication: proof, signal })
    return { ...(await traced(trace, { kind: 'ssh', name: 'handshake', place }, greet)), stream }
  }
  for (let tried = 1; ; tried += 1) {
    const outcome = await lanes.run(server, attempt)
    if (outcome.kind === 'ready') return sshLink(configuration, outcome)
    if (tried >= attempts) throw outcome.error
    lanes.narrow(server)
    report?.(say('trying-again', { reason: outcome.error.message }))
    await delay(pauseAfter(tried), undefined, { signal })
  }
}

/** Puts chacha20-poly1305 last: over a stream that is itself a channel, ssh2's implementation hangs. */
function withoutHanging(ciphers: readonly string[]): readonly string[] {
  const isHanging = (cipher: string): boolean => cipher.startsWith('chacha20')
  return [...ciphers.filter((cipher) => !isHanging(cipher)), ...ciphers.filter(isHanging)]
}

const FIRST_PAUSE_MILLISECONDS = 300

/** Doubles each time, with jitter, so that clients that were dropped together do not return together. */
function pauseAfter(tried: number): number {
  return FIRST_PAUSE_MILLISECONDS * 2 ** (tried - 1) * (0.5 + Math.random())
}
