import type { Manifest, ServiceName } from '@davit/documents'

import type { FormerPlaces, Place } from './models.ts'

/** Returns where the services of a manifest are, by their names. */
export function placesIn({
  services,
  serviceMappings,
}: Pick<Manifest, 'services' | 'serviceMappings'>): ReadonlyMap<ServiceName, FormerPlaces> {
  const found = new Map<ServiceName, { readonly type: string; readonly places: Place[] }>()
  for (const { service: key, target, container } of serviceMappings) {
    const service = services.get(key)
    if (service === undefined) continue
    const places = found.get(service.name)?.places ?? []
    places.push({ target, container })
    found.set(service.name, { type: service.type, places })
  }
  return found
}
