import type {
  Manifest,
  ManifestService,
  ProfileManifest,
  ServiceKey,
  ServiceMapping,
  StorePath,
  TargetName,
} from '@davit/documents'
import { byTarget } from './by-target.ts'
import { unusualPositions } from './unusual-positions.ts'

type Installed = ReadonlyMap<TargetName, readonly StorePath[]>

/**
 * Splits a manifest into a part for each target, from which it can be put together again. Mappings keep their target, although the
 * text form leaves it out. Services that are not activated are in the parts of the targets that have their packages.
 */
export function profileManifests(
  manifest: Manifest,
  installed: Installed = new Map(),
): ReadonlyMap<TargetName, ProfileManifest> {
  const serviceMappings = byTarget(manifest, manifest.serviceMappings)
  const snapshotMappings = byTarget(manifest, manifest.snapshotMappings)
  const positions = unusualPositions(manifest)
  const inactive = inactiveServices(manifest)
  return new Map(
    [...serviceMappings].map(([target, mappings]) => {
      const packages = new Set(installed.get(target))
      const keys = [
        ...mappings.map(({ service }) => service),
        ...inactive.flatMap(([key, { pkg }]) => (packages.has(pkg) ? [key] : [])),
      ]
      const part: ProfileManifest = {
        services: servicesOf(manifest, keys),
        serviceMappings: mappings.map((mapping) => placed(mapping, positions.get(mapping))),
        snapshotMappings: snapshotMappings.get(target) ?? [],
      }
      return [target, part]
    }),
  )
}

function placed(mapping: ServiceMapping, position: number | undefined): ProfileManifest['serviceMappings'][number] {
  return position === undefined ? mapping : { ...mapping, position }
}

function inactiveServices({ services, serviceMappings }: Manifest): readonly [ServiceKey, ManifestService][] {
  const active = new Set(serviceMappings.map(({ service }) => service))
  return [...services].filter(([key]) => !active.has(key))
}

function servicesOf({ services }: Manifest, keys: readonly ServiceKey[]): Map<ServiceKey, ManifestService> {
  return new Map(
    [...new Set(keys)].sort().flatMap((key): [ServiceKey, ManifestService][] => {
      const service = services.get(key)
      return service === undefined ? [] : [[key, service]]
    }),
  )
}
