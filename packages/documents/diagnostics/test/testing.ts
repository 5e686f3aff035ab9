import { DavitError } from '../src/diagnostics.ts'

/** Why something is refused; every error that is not ours is thrown. */
export function failureOf(action: () => unknown): DavitError | undefined {
  try {
    action()
    return undefined
  } catch (error) {
    if (error instanceof DavitError) return error
    throw error
  }
}
