import { createHash } from 'node:crypto'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import { type HostKeyVerdict, keyTypeOf, type KnownHost } from './known-hosts.ts'
import { rsaSize } from './rsa-size.ts'
import type { SshConfiguration } from './ssh-configuration.ts'
import { sshCommand } from './ssh-error.ts'

/** Error for a refused host key, with the command that accepts the key if it is genuine. */
export function hostKeyRefusal(
  configuration: SshConfiguration,
  verdict: Exclude<HostKeyVerdict, { kind: 'known' }>,
  key: Buffer,
): DavitError {
  const { message, hint } = explain(configuration, verdict, showKey(key))
  return new DavitError(`host-key-${verdict.kind}`, `the host key of '${configuration.address}' ${message}`, {
    exitStatus: ExitStatus.permission,
    hint,
  })
}

export function smallKey({ address, requiredRsaSize }: SshConfiguration, key: Buffer): DavitError {
  const sizes = `it has ${rsaSize(key)} bits, but RequiredRSASize is ${requiredRsaSize}`
  return new DavitError('host-key-small', `the host key of '${address}' is too small: ${sizes}: ${showKey(key)}`, {
    exitStatus: ExitStatus.permission,
    hint: 'give the machine a larger host key, or one of another type',
  })
}

/** Type and fingerprint of a key, as ssh-keygen -l prints them. */
export function showKey(key: Buffer): string {
  const digest = createHash('sha256')
    .update(key)
    .digest('base64')
    .replace(/(?<!=)=+$/, '')
  return `${keyTypeOf(key)} SHA256:${digest}`
}

function explain(
  configuration: SshConfiguration,
  verdict: Exclude<HostKeyVerdict, { kind: 'known' }>,
  shown: string,
): { readonly message: string; readonly hint: string } {
  switch (verdict.kind) {
    case 'revoked':
      return { message: `is revoked in ${place(verdict.entry)}: ${shown}`, hint: 'give the machine a new host key' }
    case 'changed':
      return {
        message: `has changed: it is ${shown}, but ${place(verdict.entry)} has ${showKey(verdict.entry.key)}`,
        hint: `somebody may be intercepting the connection; only if the machine really has a new key, run: ssh-keygen -R '${verdict.name}' -f ${verdict.entry.file}`,
      }
    case 'unknown':
      return {
        message: `is not known: it is ${shown}${vouched(verdict.authority)}`,
        hint: `compare it with the key on the machine itself, then run: ${learningCommand(configuration)}`,
      }
  }
}

function vouched(authority: KnownHost | undefined): string {
  return authority === undefined ? '' : ` (host certificates, as in ${place(authority)}, are not supported)`
}

function place({ file, line }: KnownHost): string {
  return `${file}:${line}`
}

/** Command that records the host key. ssh-keyscan cannot use jump hosts, and records a host by its own name only. */
function learningCommand(configuration: SshConfiguration): string {
  const { hostname, port, proxyJump, hostKeyNames, userKnownHostsFiles } = configuration
  const file = userKnownHostsFiles[0] ?? '~/.ssh/known_hosts'
  const isPlain = hostKeyNames.some((name) => name === hostname.toLowerCase())
  return isPlain && proxyJump.length === 0 ? `ssh-keyscan -p ${port} ${hostname} >> ${file}` : sshCommand(configuration)
}
