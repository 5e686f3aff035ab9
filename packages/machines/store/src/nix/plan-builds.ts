import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { InstantiatedPackage, StorePath } from '@davit/documents'
import { type NixDerivation, plannedBuilds, readDerivations, type ServeClient } from '@davit/nix'
import { missingPackage, wrongOutput } from '../build-problems.ts'
import type { NixContext } from './nix-context.ts'

export interface BuildPlan {
  /** Derivations whose outputs are not valid. */
  readonly wanted: readonly StorePath[]
  /** All that Nix has to build for them, without what it can fetch from a cache. */
  readonly builds: ReadonlyMap<StorePath, NixDerivation>
}

const NOTHING: BuildPlan = { wanted: [], builds: new Map() }

/** Plans what makes all of these packages valid. Paths that are valid already are not collected while the client lives. */
export async function planBuilds(
  { environment }: NixContext,
  client: ServeClient,
  packages: readonly InstantiatedPackage[],
): Promise<BuildPlan> {
  const known = packages.flatMap(({ outPath, derivation }) =>
    derivation === undefined ? [outPath] : [outPath, derivation],
  )
  if (known.length === 0) return NOTHING
  const valid = await client.validPaths([...new Set(known)], { keep: true })
  const missing = packages.filter(({ outPath }) => !valid.has(outPath))
  if (missing.length === 0) return NOTHING
  await fetchUnbuildable(client, missing)
  const wanted = new Map(missing.flatMap(({ outPath, derivation }) => (derivation ? [[derivation, outPath]] : [])))
  for (const derivation of wanted.keys()) if (!valid.has(derivation)) throw missingDerivation(derivation)
  const planned = await plannedBuilds(environment, [...wanted.keys()])
  const builds = new Map((await readDerivations(client, planned)).map((derivation) => [derivation.path, derivation]))
  checkOutputs(builds, wanted)
  return { wanted: [...wanted.keys()], builds }
}

/** Fetches packages without a derivation, which a cache may have. */
async function fetchUnbuildable(client: ServeClient, missing: readonly InstantiatedPackage[]): Promise<void> {
  const paths = missing.filter(({ derivation }) => derivation === undefined).map(({ outPath }) => outPath)
  if (paths.length === 0) return
  const fetched = await client.validPaths(paths, { substitute: true })
  for (const path of paths) if (!fetched.has(path)) throw missingPackage(path)
}

function checkOutputs(builds: ReadonlyMap<StorePath, NixDerivation>, wanted: ReadonlyMap<StorePath, StorePath>): void {
  for (const [derivation, output] of wanted) {
    const outputs = builds.get(derivation)?.outputs
    if (outputs !== undefined && ![...outputs.values()].includes(output)) throw wrongOutput(output, derivation)
  }
}

function missingDerivation(path: StorePath): DavitError {
  return new DavitError('invalid-path', `the derivation '${path}' is no longer in the store`, {
    exitStatus: ExitStatus.noInput,
    hint: 'run davit-normalize again; its results are kept for a day',
  })
}
