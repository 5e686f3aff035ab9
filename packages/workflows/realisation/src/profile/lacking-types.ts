import type { Manifest, TargetName } from '@davit/documents'
import { type LifecycleModule, moduleOfDysnomia } from '@davit/modules'
import { type KnownModule, moduleHere, wantedModules } from '@davit/target'

/** Types of services on each target, in order. */
export type TypesByTarget = ReadonlyMap<TargetName, readonly string[]>

/** Finds the types whose modules targets lack, according to what this machine knows of their profiles and packages. */
export async function lackingTypes(
  manifest: Manifest,
  isLacking: (known: KnownModule) => boolean,
): Promise<TypesByTarget> {
  const wanted = wantedModules(manifest)
  const known = await Promise.all(wanted.map(async ({ reference }) => moduleHere(reference)))
  const lacking = new Map<TargetName, Set<string>>()
  for (const [index, { target, type }] of wanted.entries()) {
    const one = known[index]
    if (one !== undefined && isLacking(one)) lacking.set(target, (lacking.get(target) ?? new Set()).add(type))
  }
  return new Map([...lacking].map(([target, types]) => [target, [...types].toSorted()]))
}

/** Chooses the module of each type: that of davit or, where there is none, the one that Dysnomia has to have on the target. */
export function chosenModules(
  types: TypesByTarget,
  modules: ReadonlyMap<string, LifecycleModule>,
): ReadonlyMap<string, LifecycleModule> {
  const all = [...new Set([...types.values()].flat())].toSorted()
  return new Map(all.map((type) => [type, modules.get(type) ?? moduleOfDysnomia(type)]))
}
