import type { Manifest, ManifestService, MappingId, ServiceKey } from '@davit/documents'

import { changesBetween, type NameOf } from './changes.ts'
import type { ObservedMapping } from './observed-mapping.ts'
import { chosen, type Placements, placedServices } from './placed-service.ts'
import type { Reason } from './reason.ts'
import { type ChangedSettings, troublesOf } from './troubles.ts'
import { pairReplacements } from './replacement.ts'

export interface Explanation {
  readonly toDeactivate: (id: MappingId) => readonly Reason[]
  readonly toActivate: (id: MappingId) => readonly Reason[]
}

interface Situation {
  readonly next: Manifest
  readonly wanted: Placements
  readonly current: ReadonlyMap<MappingId, ObservedMapping>
  readonly outgoing: ReadonlyMap<MappingId, ObservedMapping>
  readonly previous: Manifest | undefined
  readonly changed: ChangedSettings
}

/** Finds the reasons for each activity: the old and the new version of a service explain each other. */
export function explain(situation: Situation): Explanation {
  const { next, wanted, current, outgoing, previous, changed } = situation
  const deployed: Placements = previous === undefined ? new Map() : placedServices(previous)
  const isNew = (id: MappingId) => !current.has(id) && !deployed.has(id)
  const isGone = (id: MappingId) => !wanted.has(id)
  const gone: Placements = new Map([...chosen(outgoing, isGone), ...chosen(deployed, isGone)])
  const pairs = pairReplacements(chosen(wanted, isNew), gone)
  const nameOf = namesIn(situation)
  const removed: Reason = { kind: next.serviceMappings.length === 0 ? 'undeployed' : 'removed' }
  const whole = (reasons: readonly Reason[], otherwise: Reason) => (reasons.length === 0 ? [otherwise] : reasons)

  return {
    toDeactivate: (id) => {
      const observed = outgoing.get(id)
      const troubles = troublesOf(observed, changed)
      if (observed === undefined || wanted.has(id)) return troubles
      const successor = pairs.successors.get(id)
      const changes = successor === undefined ? [removed] : changesBetween(observed, successor, nameOf)
      return [...troubles, ...changes]
    },
    toActivate: (id) => {
      const placed = wanted.get(id)
      const predecessor = pairs.predecessors.get(id)
      if (placed !== undefined && predecessor !== undefined) return changesBetween(predecessor, placed, nameOf)
      return whole(troublesOf(outgoing.get(id), changed), deployed.has(id) ? { kind: 'missing' } : { kind: 'new' })
    },
  }
}

function namesIn({ next, current, previous }: Situation): NameOf {
  // Most names are those of services of next.
  let observed: ReadonlyMap<ServiceKey, ManifestService> | undefined
  const inRecords = () =>
    (observed ??= new Map([...current.values()].map(({ mapping, service }) => [mapping.service, service])))
  return (key: ServiceKey) => (next.services.get(key) ?? inRecords().get(key) ?? previous?.services.get(key))?.name
}
