import {
  type Manifest,
  type ManifestService,
  type MappingId,
  mappingIdOf,
  type ServiceMapping,
  type TargetName,
} from '@davit/documents'
import { compareText } from '@davit/languages'

export interface PlacedService {
  readonly mapping: ServiceMapping
  readonly service: ManifestService
  /** Only set if the machine with the record is now another target, and yet another machine has the name of the mapping's target. */
  readonly recordedAs?: RecordedPlace | undefined
}

/** A target name as recorded by a machine that had it at the time. */
export interface RecordedPlace {
  readonly target: TargetName
  /** Address of that machine, which distinguishes it from the one that has the name now. */
  readonly machine: string
}

export type Placements = ReadonlyMap<MappingId, PlacedService>

const placements = new WeakMap<Manifest, Placements>()

/** Returns the mappings of a manifest with their services; leaves out mappings of services that it does not contain. */
export function placedServices(manifest: Manifest): Placements {
  const known = placements.get(manifest)
  if (known !== undefined) return known
  const placed = byIdentity(
    manifest.serviceMappings.flatMap((mapping) => {
      const service = manifest.services.get(mapping.service)
      return service === undefined ? [] : [{ mapping, service }]
    }),
  )
  placements.set(manifest, placed)
  return placed
}

/** The part of a table that is chosen. */
export function chosen<Placed>(
  table: ReadonlyMap<MappingId, Placed>,
  isChosen: (id: MappingId, placed: Placed) => boolean,
): ReadonlyMap<MappingId, Placed> {
  const part = new Map<MappingId, Placed>()
  for (const [id, placed] of table) if (isChosen(id, placed)) part.set(id, placed)
  return part
}

/** Identity of a mapping; a mapping recorded on one machine differs from the same mapping on another that now has its name. */
export function identityOf({ mapping, recordedAs }: Omit<PlacedService, 'service'>): MappingId {
  const id = mappingIdOf(mapping)
  return recordedAs === undefined ? id : (`${id} ${recordedAs.machine}` as MappingId)
}

/** Name of the target, unique among all targets. */
export function targetLabelOf({ mapping, recordedAs }: Omit<PlacedService, 'service'>): string {
  return recordedAs === undefined ? mapping.target : `${recordedAs.target}@${recordedAs.machine}`
}

/** Makes a table in order of identities. */
export function byIdentity<Placed extends PlacedService>(placed: readonly Placed[]): ReadonlyMap<MappingId, Placed> {
  const entries = placed.map((one) => [identityOf(one), one] as const)
  return new Map(entries.sort(([left], [right]) => compareText(left, right)))
}
