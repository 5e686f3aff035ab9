import { DavitError } from '../src/diagnostics.ts'

/** Returns the DavitError that is thrown; rethrows any other error. */
export function failureOf(action: () => unknown): DavitError | undefined {
  try {
    action()
    return undefined
  } catch (error) {
    if (error instanceof DavitError) return error
    throw error
  }
}
