import {
  type Manifest,
  type ManifestService,
  type MappingId,
  mappingIdOf,
  type ServiceMapping,
  type TargetName,
} from '@davit/documents'

export interface PlacedService {
  readonly mapping: ServiceMapping
  readonly service: ManifestService
  /** Only of what was recorded by a machine that is another target by now, while yet another machine has the name of the mapping's target. */
  readonly recordedAs?: RecordedPlace | undefined
}

/** A target as a machine that had its name has recorded it. */
export interface RecordedPlace {
  readonly target: TargetName
  /** Tells it from the machine that has the name now, for people as well: its address. */
  readonly machine: string
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

/** What is recorded on one machine is never what is to run on another that has its name now. */
export function identityOf({ mapping, recordedAs }: Omit<PlacedService, 'service'>): MappingId {
  const id = mappingIdOf(mapping)
  return recordedAs === undefined ? id : (`${id} ${recordedAs.machine}` as MappingId)
}

/** The target, as people can tell it from every other. */
export function targetLabelOf({ mapping, recordedAs }: Omit<PlacedService, 'service'>): string {
  return recordedAs === undefined ? mapping.target : `${recordedAs.target}@${recordedAs.machine}`
}

/** In the order of identities, whatever the order given. */
export function byIdentity<Placed extends PlacedService>(placed: readonly Placed[]): ReadonlyMap<MappingId, Placed> {
  const entries = placed.map((one) => [identityOf(one), one] as const)
  return new Map(entries.sort(([left], [right]) => compareText(left, right)))
}

/** By code unit, never by the user's language. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
