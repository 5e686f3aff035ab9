import { DavitError } from '@davit/diagnostics'
import { reasonOf, systemErrorCode } from '@davit/files'

import { type Check, found, type Topic } from './check.ts'

/** Turns an error into a finding. */
export function failed(topic: Topic, { message, hint }: Pick<DavitError, 'message' | 'hint'>): Check {
  return found(topic, 'error', { text: message, remedy: hint })
}

/** Returns what a check finds; if it fails, that is what it finds. */
export async function attempt(topic: Topic, check: () => Promise<readonly Check[]>): Promise<readonly Check[]> {
  try {
    return await check()
  } catch (error) {
    if (error instanceof DavitError && error.code !== 'interrupted') return [failed(topic, error)]
    if (systemErrorCode(error) !== undefined) return [failed(topic, refused(error as NodeJS.ErrnoException))]
    throw error
  }
}

/** What the machine refused: whoever asks what is wrong there wants to know the rest all the same. */
function refused(error: NodeJS.ErrnoException): Pick<DavitError, 'message' | 'hint'> {
  return {
    message: `cannot look at '${error.path ?? error.syscall}': ${reasonOf(error)}`,
    hint: 'check its owner and permissions, and the user who runs this',
  }
}
