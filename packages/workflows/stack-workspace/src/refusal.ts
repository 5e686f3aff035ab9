import { DavitError, ExitStatus } from '@davit/diagnostics'
import { reasonOf, systemErrorCode } from '@davit/files'
import type { FullReference } from '@davit/stack'

/** Says which stack is refused, or cannot be written. */
export async function named(reference: FullReference, work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof DavitError)) throw error
    if (error.code === 'cannot-unpack' && !isTooLong(error)) throw notWritten(reference, error)
    throw REFUSED.has(error.code) ? refusal(reference, error.message, error) : error
  }
}

const REFUSED: ReadonlySet<string> = new Set(['bad-archive', 'bad-repository', 'cannot-unpack', 'unusual-file'])

/** Whether a path of the stack is longer than the system takes, and not a fault of this machine. */
function isTooLong({ cause }: DavitError): boolean {
  return systemErrorCode(cause) === 'ENAMETOOLONG'
}

function notWritten({ name }: FullReference, cause: DavitError): DavitError {
  return new DavitError('cannot-write', `cannot write stack '${name}': ${reasonOf(cause.cause)}`, {
    exitStatus: ExitStatus.cannotCreate,
    hint: 'check the directory of fetched stacks, its permissions and the space left',
    cause,
  })
}

export function refusal({ name }: FullReference, why: string, cause?: unknown): DavitError {
  return new DavitError('bad-repository', `stack '${name}' is refused: ${why}`, {
    exitStatus: ExitStatus.badDocument,
    ...(cause === undefined ? {} : { cause }),
  })
}
