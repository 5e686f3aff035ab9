import { DavitError, ExitStatus } from '@davit/diagnostics'

/** Error for an address that cannot be reached. */
export function unreachable(
  address: string,
  reason: string,
  options: { hint?: string; cause?: unknown } = {},
): DavitError {
  return new DavitError('unreachable', `cannot reach '${address}': ${reason}`, {
    exitStatus: ExitStatus.unreachable,
    ...options,
  })
}

/** Describes a failed system call for people. */
export function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return REASONS[code] ?? (cause instanceof Error && cause.message !== '' ? cause.message : code)
}

const REASONS: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'temporary failure in name resolution',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
  ENOTFOUND: 'unknown host',
  EPIPE: 'connection closed',
  ETIMEDOUT: 'no answer',
}

/** An address, and the configuration with which it is reached. */
export interface SshPlace {
  readonly address: string
  /** Configuration file in place of the user's own. */
  readonly configurationFile?: string | undefined
}

/** Command that does the same by hand; ssh takes a port only in a URI. */
export function sshCommand({ address, configurationFile = '' }: SshPlace, options: readonly string[] = []): string {
  const destination = /:\d+$/.test(address) ? `ssh://${address.replace(/^ssh:\/\//, '')}` : address
  return ['ssh', ...options, ...(configurationFile === '' ? [] : ['-F', configurationFile]), destination].join(' ')
}
