import type { Architecture, NormalizedService, StorePath, TargetName } from '@davit/documents'

/**
 * What the profile of a target links to, without duplicates: its own packages first, then those of the services that
 * are placed there, by name of the service, for the target's system.
 */
export function packagesOf(architecture: Architecture, target: TargetName): StorePath[] {
  const own = (architecture.targetPackages.get(target) ?? []).map(({ outPath }) => outPath)
  const system = architecture.infrastructure.get(target)?.system
  if (system === undefined) return []
  const ofServices = [...architecture.services.values()]
    .filter((service) => isPlacedOn(service, target))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((service) => service.packages.get(system)?.outPath ?? [])
  return [...new Set([...own, ...ofServices])]
}

function isPlacedOn({ targets }: NormalizedService, target: TargetName): boolean {
  return targets.some((placement) => placement.target === target)
}
