import { DavitError, type Diagnostic, withMargins } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import { type BuildFailure, unusableStore, type NixDerivation, type RealisationOutcome } from '@davit/nix'
import { cannotBuild } from '../cannot-build.ts'
import { packageNameOf } from '../native/store-path.ts'
import { unsetVariableIn } from '../unset-variable.ts'
import { wrongSystem } from './check-systems.ts'

/** Message of Nix when it has no machine for a derivation, whatever its settings promised. */
const WRONG_SYSTEM = /^a '([^']*)' with features \{([^}]*)\} is required to build '([^']*)', but I am a '([^']*)'/

/** One error for everything that went wrong in a realisation. */
export function buildFailed(
  builds: ReadonlyMap<StorePath, NixDerivation>,
  { failures, problems }: RealisationOutcome,
): DavitError {
  const foreign = problems.flatMap(foreignIn)
  if (foreign.length > 0 && failures.length === 0) return wrongSystem(foreign[0]?.here, foreign)
  const diagnostics = [
    ...failures
      .map((failure) => failureOf(failure, builds.get(failure.derivation)))
      .toSorted((left, right) => (left.message < right.message ? -1 : 1)),
    ...problems.map((message): Diagnostic => ({ severity: 'error', message: withMargins(message) })),
  ]
  const message = failures.length === 0 ? 'Nix cannot build' : cannotBuild(failures.length, builds.size)
  const { hint } = unusableStore(problems.join('\n')) ?? {}
  return new DavitError('build-failed', message, { diagnostics, ...(hint === undefined ? {} : { hint }) })
}

function foreignIn(problem: string) {
  const [, system, features, path, here] = WRONG_SYSTEM.exec(problem) ?? []
  if (system === undefined) return []
  const place = features === '' ? system : `${system} with the features ${features}`
  return [{ system: place, here, name: nameOf(path as StorePath) }]
}

/** Name of the package of a path, or of what a derivation builds. */
export function nameOf(path: StorePath): string {
  return packageNameOf(path).replace(/\.drv$/, '')
}

/** How `packages.nix` passes variables to a script. */
const VARIABLE = /^(?!PATH=|LC_ALL=|SOURCE_DATE_EPOCH=|DAVIT_)(\w+)=\$davit_value_\d+;/gm

function variablesOf(build: NixDerivation | undefined): readonly string[] {
  return build?.arguments.flatMap((text) => [...text.matchAll(VARIABLE)].map(([, name = '']) => name)) ?? []
}

function failureOf({ derivation, reason, logEnd }: BuildFailure, build: NixDerivation | undefined): Diagnostic {
  const log = logEnd === '' ? '' : `\n${logEnd.replaceAll(/^/gm, '  | ')}`
  return {
    severity: 'error',
    message: `the build of '${nameOf(derivation)}' ${reason}${unsetVariableIn(logEnd, variablesOf(build))}${log}`,
    hint: `run 'nix-store -l ${derivation}' to see the whole log`,
  }
}
