import { DavitError, ExitStatus, hasCode } from '@davit/diagnostics'

const UNREACHABLE = { exitStatus: ExitStatus.unreachable }

export function noAnswer(address: string, seconds: number): DavitError {
  return new DavitError('no-answer', `'${address}' started no shell within ${seconds} s`, {
    ...UNREACHABLE,
    hint: 'log in by hand, and look at what its login shell waits for, or whether the connection is that slow',
  })
}

export function endlessGreeting(address: string): DavitError {
  return new DavitError('no-answer', `'${address}' prints endlessly, and starts no shell`, {
    ...UNREACHABLE,
    hint: 'look at what its login shell prints when it starts',
  })
}

/** The error for a lost helper. Its requests may have been carried out all the same. */
export function lostError(reason: unknown, address: string): DavitError {
  if (hasCode(reason, 'connection-lost')) return reason
  const text = reason instanceof Error ? reason.message : String(reason)
  return new DavitError('connection-lost', `lost the helper on '${address}': ${text}`, {
    ...UNREACHABLE,
    ...(reason instanceof Error ? { cause: reason } : {}),
  })
}

interface FailedStart {
  readonly address: string
  readonly status: number
  readonly greeting: readonly string[]
}

export function noShell({ address, status, greeting }: FailedStart): DavitError {
  const printed = greeting.filter((line) => line.trim() !== '').slice(0, 3)
  const text = printed.length === 0 ? '' : ` and printed '${printed.join(' | ').slice(0, MAX_QUOTED)}'`
  return new DavitError(
    'no-shell',
    `the login shell on '${address}' ran no command: it ended with status ${status}${text}`,
    {
      exitStatus: ExitStatus.permission,
      hint: 'give the account a login shell that runs commands',
    },
  )
}

const MAX_QUOTED = 300
