import type { Manifest, ServiceMapping, TargetName } from '@davit/documents'
import { byTarget } from './by-target.ts'

/**
 * Returns, in order, the types whose modules the profile of each target must bring: those of the services mapped there,
 * except where the service that provides the container brings the module in its own package.
 */
export function modulesByTarget(manifest: Manifest): ReadonlyMap<TargetName, readonly string[]> {
  const typesOf = (mappings: readonly ServiceMapping[]) => {
    const types = mappings
      .filter(({ containerProvidedByService }) => containerProvidedByService === undefined)
      .flatMap(({ service }) => manifest.services.get(service)?.type ?? [])
    return [...new Set(types)].sort()
  }
  const groups = byTarget(manifest, manifest.serviceMappings)
  return new Map([...groups].map(([target, mappings]) => [target, typesOf(mappings)]))
}
