import type { Manifest, Mapping, ServiceKey } from '@davit/documents'

import type { NamedPlace, Place } from './difference.ts'

export function placeOf({ target, container }: Pick<Mapping, 'target' | 'container'>): Place {
  return { target, container }
}

/** Identity of an instance within a manifest, whatever its version. Names contain no space. */
export function textOfPlace({ service, target, container }: NamedPlace): string {
  return `${service} ${target} ${container}`
}

/** Name of a service, or its key if the manifest does not contain it. */
export function nameOfService(manifest: Manifest, key: ServiceKey): string {
  return manifest.services.get(key)?.name ?? key
}
