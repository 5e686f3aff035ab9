import type { Architecture, BuildModel, InstantiatedPackage, StorePath, TargetName } from '@davit/documents'
import type { Builder } from './place-builds.ts'

/** Which packages are wanted on which targets, and which targets can build. */
export interface DelegationOrder {
  readonly packages: readonly WantedPackage[]
  readonly builders: ReadonlyMap<TargetName, Builder>
}

export interface WantedPackage {
  readonly target: TargetName
  readonly package: InstantiatedPackage
}

/** Lists for each target its own packages, then those of the services placed there, ordered by service name. */
export function orderOfArchitecture({ infrastructure, services, targetPackages }: Architecture): DelegationOrder {
  const byName = [...services.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1))
  const packages = [...infrastructure].flatMap(([target, { system }]) => {
    const placed = byName.filter(({ targets }) => targets.some((placement) => placement.target === target))
    const wanted = [
      ...(targetPackages.get(target) ?? []),
      ...placed.flatMap((service) => service.packages.get(system) ?? []),
    ]
    const once = new Map(wanted.map((instantiated) => [instantiated.outPath, instantiated]))
    return [...once.values()].map((instantiated) => ({ target, package: instantiated }))
  })
  const builders = [...infrastructure].map(([name, { system, numOfCores }]): [TargetName, Builder] => {
    return [name, { system, cores: numOfCores }]
  })
  return { packages, builders: new Map(builders) }
}

/** Makes the order of a build model, which states neither systems nor cores. `outputs` are those of its derivations. */
export function orderOfBuildModel(
  { derivationMappings, interfaces }: BuildModel,
  outputs: ReadonlyMap<StorePath, readonly StorePath[]>,
): DelegationOrder {
  const packages = derivationMappings.flatMap(({ derivation, interface: target }) =>
    (outputs.get(derivation) ?? []).map((outPath) => ({ target, package: { outPath, derivation } })),
  )
  return { packages, builders: new Map([...interfaces.keys()].map((name) => [name, { cores: 1 }])) }
}
