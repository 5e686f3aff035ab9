import type { InstantiatedPackage, StorePath } from '@davit/documents'
import { invalidPath, type NixDerivation, readDerivations, type ServeClient } from '@davit/nix'
import type { UnbuiltDerivation } from '../store-interface.ts'
import type { NixContext } from './nix-context.ts'
import { type BuildPlan, planBuilds } from './plan-builds.ts'

/** Returns what has to be built, for any platform, by derivation; fetches inputs of builds that a cache has. */
export async function unbuilt(
  context: NixContext,
  packages: readonly InstantiatedPackage[],
): Promise<ReadonlyMap<StorePath, UnbuiltDerivation>> {
  return context.withServe(async (client) => {
    const { builds } = await planBuilds(context, client, packages)
    const available = await availableInputs(client, builds)
    const described = [...builds.values()].map((derivation) => describe(derivation, builds, available))
    await fetchMissing(client, [...new Set(described.flatMap(({ requires }) => requires))])
    return new Map(described.map((derivation) => [derivation.derivation, derivation]))
  })
}

type Derivations = BuildPlan['builds']

/** Input derivations whose outputs are in the store or in a cache. */
async function availableInputs(client: ServeClient, builds: Derivations): Promise<Derivations> {
  const inputs = [...builds.values()].flatMap(({ inputDerivations }) => [...inputDerivations.keys()])
  const others = [...new Set(inputs)].filter((path) => !builds.has(path))
  if (others.length === 0) return new Map()
  return new Map((await readDerivations(client, others)).map((derivation) => [derivation.path, derivation]))
}

function describe(derivation: NixDerivation, builds: Derivations, available: Derivations): UnbuiltDerivation {
  const { path, name, system, outputs, inputDerivations, inputSources } = derivation
  const inputs = [...inputDerivations].flatMap(([input, names]) => {
    const known = available.get(input)?.outputs
    return names.flatMap((output) => known?.get(output) ?? [])
  })
  return {
    derivation: path,
    name,
    system,
    outputs: [...outputs.values()],
    waitsFor: [...inputDerivations.keys()].filter((input) => builds.has(input)),
    requires: [...new Set([...inputSources, ...inputs])],
  }
}

async function fetchMissing(client: ServeClient, paths: readonly StorePath[]): Promise<void> {
  if (paths.length === 0) return
  const valid = await client.validPaths(paths)
  const missing = paths.filter((path) => !valid.has(path))
  if (missing.length === 0) return
  const fetched = await client.validPaths(missing, { substitute: true })
  for (const path of missing) if (!fetched.has(path)) throw invalidPath(path)
}
