import type { Manifest, ServiceMapping, TargetName } from '@davit/documents'
import { byTarget } from './by-target.ts'

/** Returns, in order, the types of the services on each target: the profile brings their modules. */
export function modulesByTarget(manifest: Manifest): ReadonlyMap<TargetName, readonly string[]> {
  const groups = byTarget(manifest, manifest.serviceMappings)
  return new Map([...groups].map(([target, mappings]) => [target, typesOf(mappings, manifest)]))
}

/** Returns, in order, the types whose modules no package brings: those of services in containers that the targets have themselves. */
export function requiredModules(manifest: Manifest): readonly string[] {
  const mappings = manifest.serviceMappings.filter(({ containerProvidedByService: provider }) => provider === undefined)
  return typesOf(mappings, manifest)
}

function typesOf(mappings: readonly ServiceMapping[], { services }: Manifest): readonly string[] {
  return [...new Set(mappings.flatMap(({ service }) => services.get(service)?.type ?? []))].sort()
}
