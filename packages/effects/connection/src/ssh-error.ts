import { DavitError, ExitStatus } from '@davit/diagnostics'

/** Nobody answers there: name the target and the reason. */
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

/** What a failed system call means to people. */
export function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return REASONS[code] ?? (cause instanceof Error && cause.message !== '' ? cause.message : code)
}

const REASONS: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'cannot resolve its name now',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
  ENOTFOUND: 'unknown host',
  EPIPE: 'connection closed',
  ETIMEDOUT: 'no answer',
}

/** Where something is reached, and by which configuration. */
export interface SshPlace {
  readonly address: string
  /** In place of the user's own. */
  readonly configurationFile?: string | undefined
}

/** What to type to try the same by hand; ssh takes a port only in a URI. */
export function sshCommand({ address, configurationFile = '' }: SshPlace, options: readonly string[] = []): string {
  const destination = /:\d+$/.test(address) ? `ssh://${address.replace(/^ssh:\/\//, '')}` : address
  return ['ssh', ...options, ...(configurationFile === '' ? [] : ['-F', configurationFile]), destination].join(' ')
}
