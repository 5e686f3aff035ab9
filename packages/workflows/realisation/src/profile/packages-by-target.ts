import type { Architecture, NormalizedService, StorePath, System, TargetName } from '@davit/documents'

/**
 * Returns the packages that the profile of each target links to, without duplicates: its own packages first, then those of
 * the services placed there, by name of the service, for the target's system.
 */
export function packagesByTarget(architecture: Architecture): ReadonlyMap<TargetName, readonly StorePath[]> {
  const packages = new Map<TargetName, Set<StorePath>>()
  for (const target of architecture.infrastructure.keys()) {
    const own = architecture.targetPackages.get(target) ?? []
    packages.set(target, new Set(own.map(({ outPath }) => outPath)))
  }
  for (const service of [...architecture.services.values()].sort(byName)) {
    for (const { target } of service.targets) {
      const outPath = packageFor(service, architecture.infrastructure.get(target)?.system)
      if (outPath !== undefined) packages.get(target)?.add(outPath)
    }
  }
  return new Map([...packages].map(([target, paths]) => [target, [...paths]]))
}

function packageFor({ packages }: NormalizedService, system: System | undefined): StorePath | undefined {
  return system === undefined ? undefined : packages.get(system)?.outPath
}

function byName(left: NormalizedService, right: NormalizedService): number {
  return left.name < right.name ? -1 : 1
}
