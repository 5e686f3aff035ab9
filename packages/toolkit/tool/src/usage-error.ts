import { DavitError, ExitStatus } from '@davit/diagnostics'

export function usageError(message: string, hint: string): DavitError {
  return new DavitError('usage', message, { exitStatus: ExitStatus.usage, hint })
}
