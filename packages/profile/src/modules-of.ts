import type { Manifest, TargetName } from '@davit/documents'

/**
 * Types, in order, whose modules the profile of a target must bring: those of the services mapped there, except where
 * the service that provides the container brings the module in its own package.
 */
export function modulesOf(manifest: Manifest, target: TargetName): string[] {
  const types = manifest.serviceMappings
    .filter((mapping) => mapping.target === target && mapping.containerProvidedByService === undefined)
    .flatMap(({ service }) => manifest.services.get(service)?.type ?? [])
  return [...new Set(types)].sort()
}
