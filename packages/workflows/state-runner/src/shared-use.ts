import { componentIn } from '@davit/documents'
import { type ActivityDefinition, isSamePlace, type ObservedRecord } from '@davit/target'
import type { StatefulService } from '@davit/transition'

import type { RecordsByState } from './active-records.ts'
import { placeIn, type StateScene } from './scene.ts'

interface OldUse {
  readonly from: StatefulService
  /** How the service used the state last. */
  readonly definition: ActivityDefinition
}

/**
 * Finds an active service that uses what a module would delete: one with the same component and settings in another container or target of
 * the same machine, or on another machine if the settings name a server. Without settings, the module may tell targets apart by their names.
 */
export function sharedUse(old: OldUse, records: RecordsByState, scene: StateScene): ObservedRecord | undefined {
  return [...records.values()].find(
    (record) => isOther(record, old) && isEqualUse(record, old) && reaches(record, old, scene),
  )
}

function isOther({ mapping }: ObservedRecord, { from }: OldUse): boolean {
  return mapping.target !== from.mapping.target || mapping.container !== from.mapping.container
}

function isEqualUse({ definition }: ObservedRecord, { from, definition: old }: OldUse): boolean {
  const { service } = definition
  return (
    definition.properties.size > 0 &&
    service.type === old.service.type &&
    componentIn(service.pkg) === from.component &&
    settingsOf(definition) === settingsOf(old)
  )
}

function settingsOf({ properties, secrets = new Map() }: ActivityDefinition): string {
  const references = [...secrets].map(([name, { text }]) => [name, JSON.stringify(text)] as const)
  return JSON.stringify([...properties, ...references].toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

function reaches({ mapping, definition }: ObservedRecord, { from }: OldUse, scene: StateScene): boolean {
  const place = scene.places.get(mapping.target)
  if (place === undefined) return true
  const isHere = isSamePlace(place.machine.facts, placeIn(scene, from.mapping.target).machine.facts)
  return isHere || [...definition.properties].some(([name, value]) => /host|url|server/i.test(name) && !isLocal(value))
}

function isLocal(value: string): boolean {
  return value === '' || /\b(?:localhost|127(?:\.\d+){3}|::1)\b/.test(value) || value.includes('[::1]')
}
