import type { Manifest, ManifestService, Mapping, ProfileManifest, ServiceKey, TargetName } from '@davit/documents'

/** The part of a manifest that concerns one target; mappings keep their target, whatever the text form leaves out. */
export function profileManifestOf(manifest: Manifest, target: TargetName): ProfileManifest {
  const isHere = (mapping: Mapping) => mapping.target === target
  const serviceMappings = manifest.serviceMappings.filter(isHere)
  return {
    services: servicesOf(manifest, serviceMappings),
    serviceMappings,
    snapshotMappings: manifest.snapshotMappings.filter(isHere),
  }
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
