import {
  type Infrastructure,
  type Manifest,
  type ManifestService,
  type Mapping,
  type ServiceKey,
  type StorePath,
  storeOf,
  type TargetName,
} from '@davit/documents'
import { byName, compareText, grouped } from '@davit/languages'

import type { TargetAccount } from './account.ts'
import { type Contradiction, differingFields } from './contradiction.ts'
import { installedOn, type Placement, placementsOn, type Preference } from './placements.ts'

export type { Preference } from './placements.ts'

export interface ReconstructionTerms {
  readonly infrastructure: Infrastructure
  readonly accounts: readonly TargetAccount[]
  readonly prefer: Preference
}

export interface Reconstruction {
  /** Its services may depend on others that no account contains: `missing` names them. */
  readonly manifest: Manifest
  readonly contradictions: readonly Contradiction[]
  /** Contradictions that the preference does not settle: the service is described by the first of the two targets. */
  readonly unsettled: readonly Contradiction[]
  /** Inter-dependencies and providers that are not in the manifest, left out of it. */
  readonly missing: readonly MissingReference[]
  /** Targets of the services that are installed, but not activated. */
  readonly installed: ReadonlyMap<ServiceKey, readonly TargetName[]>
}

export interface MissingReference {
  readonly service: string
  readonly needs: Mapping
}

/**
 * Puts the manifest of a deployment together from what its targets tell. Where the accounts agree, it is the one that was
 * deployed: services by key, and mappings by name of the service, each in the order in which its targets were given.
 */
export function reconstruct({ infrastructure, accounts, prefer }: ReconstructionTerms): Reconstruction {
  const found = accounts.map((account) => placementsOn(account, prefer))
  const placements = found.flatMap((one) => one.placements).sort(inOrder)
  const inactive = accounts.flatMap((account) =>
    [...installedOn(account)].map(([key, service]) => ({ key, target: account.target, service })),
  )
  const described = [
    ...placements.map(({ mapping, service }) => ({ key: mapping.service, target: mapping.target, service })),
    ...inactive,
  ]
  const { services, unsettled } = servicesIn(described)
  const profiles = new Map(
    accounts
      .flatMap(({ target, profile }): [TargetName, StorePath][] => (profile ? [[target, profile.path]] : []))
      .sort(byName),
  )
  const [path] = [...[...services.values()].map(({ pkg }) => pkg), ...profiles.values()]
  const { kept, missing } = withoutMissing({ services, placements, infrastructure })
  const manifest = {
    profiles,
    services: kept.services,
    infrastructure,
    serviceMappings: kept.placements.map(({ mapping }) => mapping),
    snapshotMappings: kept.placements.flatMap(({ mapping, component }) =>
      component === undefined ? [] : [{ ...mapping, component }],
    ),
    store: storeOf(path),
  }
  const contradictions = [...found.flatMap((one) => one.contradictions), ...unsettled]
  return { manifest, contradictions, unsettled, missing, installed: targetsByKey(inactive) }
}

function targetsByKey(described: readonly DescribedService[]): ReadonlyMap<ServiceKey, readonly TargetName[]> {
  const groups = grouped(described, ({ key }) => key)
  return new Map([...groups].map(([key, group]) => [key, group.map(({ target }) => target)]))
}

interface DescribedService {
  readonly key: ServiceKey
  readonly target: TargetName
  readonly service: ManifestService
}

function servicesIn(described: readonly DescribedService[]) {
  const first = new Map<ServiceKey, DescribedService>()
  const unsettled: Contradiction[] = []
  for (const one of described) {
    const other = first.get(one.key)
    if (other === undefined) first.set(one.key, one)
    const fields = other === undefined ? [] : differingFields(other.service, one.service)
    if (other === undefined || fields.length === 0) continue
    const targets = [other.target, one.target] as const
    unsettled.push({ kind: 'targets-differ', service: one.service.name, key: one.key, targets, fields })
  }
  const services = new Map([...first].sort(byName).map(([key, { service }]) => [key, service]))
  return { services, unsettled }
}

interface Found {
  readonly services: ReadonlyMap<ServiceKey, ManifestService>
  readonly placements: readonly Placement[]
  readonly infrastructure: Infrastructure
}

/** Leaves out references to services that nobody has told of: a manifest must not contain any. */
function withoutMissing({ services, placements, infrastructure }: Found) {
  const missing: MissingReference[] = []
  const present = (name: string, mappings: readonly Mapping[]) =>
    mappings.filter((needs) => {
      if (services.has(needs.service) && infrastructure.has(needs.target)) return true
      missing.push({ service: name, needs })
      return false
    })
  const kept = new Map(
    [...services].map(([key, service]) => {
      const { name, dependsOn, connectsTo } = service
      return [key, { ...service, dependsOn: present(name, dependsOn), connectsTo: present(name, connectsTo) }]
    }),
  )
  const placed = placements.map((placement) => {
    const { containerProvidedByService: provider, ...mapping } = placement.mapping
    if (provider === undefined || services.has(provider)) return placement
    missing.push({ service: placement.service.name, needs: { ...mapping, service: provider } })
    return { ...placement, mapping }
  })
  return { kept: { services: kept, placements: placed }, missing }
}

function inOrder(one: Placement, other: Placement): number {
  return (
    compareText(one.service.name, other.service.name) ||
    (one.position ?? 0) - (other.position ?? 0) ||
    compareText(one.mapping.target, other.mapping.target)
  )
}
