import { DavitError, type Diagnostic, ExitStatus } from '@davit/diagnostics'
import type { PackageRequest } from '@davit/documents'

/** Describes an error of a package, and who needs the package; throws errors that are not about the package. */
export function problemOf({ wantedBy }: Pick<PackageRequest, 'wantedBy'>, error: unknown): Diagnostic {
  if (!(error instanceof DavitError) || error.exitStatus === ExitStatus.cannotCreate) throw error
  const wanted = 'service' in wantedBy ? `service '${wantedBy.service}'` : `target '${wantedBy.target}'`
  const hint = error.hint === undefined ? {} : { hint: error.hint }
  return { severity: 'error', message: `${wanted}: ${error.message}`, ...hint }
}

export function badPackages(diagnostics: readonly Diagnostic[]): DavitError {
  const message = diagnostics.length === 1 ? 'cannot use a package' : `cannot use ${diagnostics.length} packages`
  return new DavitError('bad-package', message, { exitStatus: ExitStatus.badDocument, diagnostics })
}
