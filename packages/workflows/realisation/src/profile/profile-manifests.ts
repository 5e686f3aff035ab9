import type { Manifest, ManifestService, Mapping, ProfileManifest, ServiceKey, TargetName } from '@davit/documents'
import { byTarget } from './by-target.ts'

/** Splits a manifest into a part for each target; mappings keep their target, although the text form leaves it out. */
export function profileManifests(manifest: Manifest): ReadonlyMap<TargetName, ProfileManifest> {
  const serviceMappings = byTarget(manifest, manifest.serviceMappings)
  const snapshotMappings = byTarget(manifest, manifest.snapshotMappings)
  return new Map(
    [...serviceMappings].map(([target, mappings]) => [
      target,
      {
        services: servicesOf(manifest, mappings),
        serviceMappings: mappings,
        snapshotMappings: snapshotMappings.get(target) ?? [],
      },
    ]),
  )
}

function servicesOf(manifest: Manifest, mappings: readonly Mapping[]): Map<ServiceKey, ManifestService> {
  const keys = [...new Set(mappings.map(({ service }) => service))].sort()
  return new Map(
    keys.flatMap((key): [ServiceKey, ManifestService][] => {
      const service = manifest.services.get(key)
      return service === undefined ? [] : [[key, service]]
    }),
  )
}
