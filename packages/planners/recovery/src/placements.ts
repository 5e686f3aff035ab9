import {
  type MappingId,
  mappingIdOf,
  type ManifestService,
  type ProfileManifest,
  type ServiceKey,
  type ServiceMapping,
} from '@davit/documents'

import type { RecordedService, TargetAccount } from './account.ts'
import { type Contradiction, differingFields } from './contradiction.ts'

/** Where to look first if the accounts of a target contradict each other. */
export type Preference = 'profile' | 'records'

/** A service in a container of a target. */
export interface Placement extends RecordedService {
  /** Place among the mappings of the service, if that is not the one by name of the target. */
  readonly position: number | undefined
}

type Placements = ReadonlyMap<MappingId, Placement>

export interface TargetPlacements {
  readonly placements: readonly Placement[]
  readonly contradictions: readonly Contradiction[]
}

/** Compares the profile of a target with its records. */
export function placementsOn(account: TargetAccount, prefer: Preference): TargetPlacements {
  const inProfile = placementsIn(account.profile?.manifest)
  const recorded: Placements = new Map(
    account.records.map((one) => [mappingIdOf(one.mapping), { ...one, position: undefined }]),
  )
  const placements: Placement[] = []
  const contradictions: Contradiction[] = []
  for (const id of new Set([...inProfile.keys(), ...recorded.keys()])) {
    const [one, other] = [inProfile.get(id), recorded.get(id)]
    const contradiction = contradictionBetween(one, other)
    if (contradiction !== undefined) contradictions.push(contradiction)
    const position = one?.position
    const chosen = prefer === 'profile' || contradiction === undefined ? one : other
    if (chosen !== undefined) placements.push({ ...chosen, position })
  }
  return { placements, contradictions }
}

function placementsIn(manifest: ProfileManifest | undefined): Placements {
  if (manifest === undefined) return new Map()
  const components = new Map(manifest.snapshotMappings.map((one) => [mappingIdOf(one), one.component]))
  return new Map(
    manifest.serviceMappings.flatMap(({ position, ...mapping }): [MappingId, Placement][] => {
      const service = manifest.services.get(mapping.service)
      const id = mappingIdOf(mapping)
      return service === undefined ? [] : [[id, { mapping, service, component: components.get(id), position }]]
    }),
  )
}

function contradictionBetween(one: Placement | undefined, other: Placement | undefined): Contradiction | undefined {
  const either = one ?? other
  if (either === undefined) return undefined
  const { service, mapping } = either
  const placed = { service: service.name, target: mapping.target, container: mapping.container }
  if (other === undefined) return { kind: 'not-recorded', ...placed }
  if (one === undefined) return { kind: 'not-in-profile', ...placed }
  const fields = [...differingFields(one.service, other.service), ...differingPlaces(one, other)]
  return fields.length === 0 ? undefined : { kind: 'different', ...placed, fields }
}

function differingPlaces(one: Placement, other: Placement): readonly string[] {
  const providers: [ServiceMapping, ServiceMapping] = [one.mapping, other.mapping]
  const isProviderEqual = providers[0].containerProvidedByService === providers[1].containerProvidedByService
  return [
    ...(isProviderEqual ? [] : ['containerProvidedByService']),
    ...(one.component === other.component ? [] : ['snapshotMappings']),
  ]
}

/** Services that are installed on a target, but not activated. */
export function installedOn({ profile }: TargetAccount): ReadonlyMap<ServiceKey, ManifestService> {
  if (profile?.manifest === undefined) return new Map()
  const mapped = new Set(profile.manifest.serviceMappings.map(({ service }) => service))
  return new Map([...profile.manifest.services].filter(([key]) => !mapped.has(key)))
}
