import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'

export function missingPackage(path: StorePath): DavitError {
  return new DavitError('invalid-path', `'${path}' is not in the store, and has no derivation to build it`, {
    exitStatus: ExitStatus.noInput,
    hint: 'run davit-normalize again; it copies what is missing',
  })
}

export function wrongOutput(output: StorePath, derivation: StorePath): DavitError {
  return new DavitError('bad-derivation', `'${derivation}' does not build '${output}'`, {
    exitStatus: ExitStatus.badDocument,
    hint: 'run davit-normalize again',
  })
}
