import type { InstantiatedPackage, StorePath } from '@davit/documents'
import type { UnbuiltDerivation } from '../store-interface.ts'
import { directInputs } from './build-output.ts'
import { outputPathOf } from './derivation.ts'
import { readDerivation } from './derivation-writer.ts'
import { type PlannedBuild, planBuilds } from './plan-builds.ts'
import type { StoreContext } from './store-context.ts'

/** Returns what has to be built, for any platform, by derivation. */
export function unbuilt(
  context: StoreContext,
  packages: readonly InstantiatedPackage[],
): ReadonlyMap<StorePath, UnbuiltDerivation> {
  const plan = planBuilds(context, packages)
  const derivationOf = (output: StorePath) => plan.get(output)?.derivationPath ?? output
  const describe = ({ derivation, derivationPath, output, needs }: PlannedBuild): UnbuiltDerivation => ({
    derivation: derivationPath,
    name: derivation.name,
    system: derivation.system,
    outputs: [output],
    waitsFor: needs.map(derivationOf),
    requires: directInputs(derivation).filter((path) => !plan.has(path)),
  })
  return new Map([...plan.values()].map((build) => [build.derivationPath, describe(build)]))
}

export function outputsOf(
  context: StoreContext,
  derivations: readonly StorePath[],
): ReadonlyMap<StorePath, readonly StorePath[]> {
  const { directory } = context.layout
  return new Map(derivations.map((path) => [path, [outputPathOf(directory, readDerivation(context, path))]]))
}
