import { type Manifest, type ManifestService, type MappingId, mappingIdOf, type ServiceMapping } from '@davit/documents'
import { compareText } from '@davit/languages'

/** A service where it is. */
export interface Placed {
  readonly mapping: ServiceMapping
  readonly service: ManifestService
}

export function placedIn({ serviceMappings, services }: Manifest): readonly Placed[] {
  return serviceMappings.flatMap((mapping) => {
    const service = services.get(mapping.service)
    return service === undefined ? [] : [{ mapping, service }]
  })
}

/** Makes a table in order of identities. */
export function byIdentity(placed: readonly Placed[]): ReadonlyMap<MappingId, Placed> {
  const entries = placed.map((one) => [mappingIdOf(one.mapping), one] as const)
  return new Map(entries.sort(([left], [right]) => compareText(left, right)))
}
