import { DavitError, type Diagnostic } from '@davit/diagnostics'
import type { StorePath, System } from '@davit/documents'
import { type NixDerivation, readBuildPlaces } from '@davit/nix'
import type { Environment } from '@davit/process'

/** System of derivations that Nix itself builds, on any machine. */
const ANYWHERE = 'builtin'

/** Refuses derivations that cannot be built here, before anything is built: Nix would stop in the middle. */
export async function checkSystems(
  environment: Environment,
  builds: ReadonlyMap<StorePath, NixDerivation>,
): Promise<void> {
  if (builds.size === 0) return
  const places = await readBuildPlaces(environment)
  if (places === undefined || places.remote) return
  const here = new Set<System>([...places.systems, ANYWHERE as System])
  const foreign = [...builds.values()].filter(({ system }) => !here.has(system))
  if (foreign.length === 0) return
  throw wrongSystem(places.systems[0], foreign)
}

export function wrongSystem(
  here: string | undefined,
  foreign: readonly { readonly name: string; readonly system: string }[],
): DavitError {
  const byName = foreign.toSorted((left, right) => (left.name < right.name ? -1 : 1))
  const diagnostics = byName.map(({ name, system }): Diagnostic => {
    return { severity: 'error', message: `'${name}' must be built on ${system}; this machine is ${here}` }
  })
  return new DavitError('wrong-system', `cannot build for platforms other than ${here} on this machine`, {
    hint: "build on the targets (davit-env --build-on-targets, or davit-delegate-build between davit-normalize and davit-manifest), add a machine to 'builders' in the settings of Nix, or correct the systems in the infrastructure model",
    diagnostics,
  })
}
