import type { Architecture, NormalizedService, StorePath, TargetName } from '@davit/documents'

import { linkedPackages, type PlacedPackage } from './linked-packages.ts'

/** Returns the packages that the profile of each target links to: of services, those for the target's system. */
export function packagesByTarget(architecture: Architecture): ReadonlyMap<TargetName, readonly StorePath[]> {
  const { services, targetPackages } = architecture
  const placed = [...services.values()].flatMap((service) => placedOf(service, architecture))
  return linkedPackages(architecture, placed, (target) =>
    (targetPackages.get(target) ?? []).map(({ outPath }) => outPath),
  )
}

function placedOf(
  { name, targets, packages }: NormalizedService,
  { infrastructure }: Pick<Architecture, 'infrastructure'>,
): readonly PlacedPackage[] {
  return targets.flatMap(({ target }) => {
    const system = infrastructure.get(target)?.system
    const pkg = system === undefined ? undefined : packages.get(system)?.outPath
    return pkg === undefined ? [] : [{ target, service: name, pkg }]
  })
}
