import { type Manifest, type ManifestService, type MappingId, mappingIdOf, type ServiceMapping } from '@davit/documents'

export interface PlacedService {
  readonly mapping: ServiceMapping
  readonly service: ManifestService
}

export type Placements = ReadonlyMap<MappingId, PlacedService>

/** What a manifest places; mappings of services that it does not describe are left out. */
export function placedServices(manifest: Manifest): Placements {
  return byIdentity(
    manifest.serviceMappings.flatMap((mapping) => {
      const service = manifest.services.get(mapping.service)
      return service === undefined ? [] : [{ mapping, service }]
    }),
  )
}

/** In the order of identities, whatever the order given. */
export function byIdentity<Placed extends PlacedService>(placed: readonly Placed[]): ReadonlyMap<MappingId, Placed> {
  const entries = placed.map((one) => [mappingIdOf(one.mapping), one] as const)
  return new Map(entries.sort(([left], [right]) => compareText(left, right)))
}

/** By code unit, never by the user's language. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
