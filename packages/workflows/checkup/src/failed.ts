import { DavitError } from '@davit/diagnostics'

import { type Check, found, type Topic } from './check.ts'

/** Turns an error into a finding. */
export function failed(topic: Topic, { message, hint }: DavitError): Check {
  return found(topic, 'error', { text: message, remedy: hint })
}

/** Returns what a check finds; if it fails, that is what it finds. */
export async function attempt(topic: Topic, check: () => Promise<readonly Check[]>): Promise<readonly Check[]> {
  try {
    return await check()
  } catch (error) {
    if (error instanceof DavitError && error.code !== 'interrupted') return [failed(topic, error)]
    throw error
  }
}
