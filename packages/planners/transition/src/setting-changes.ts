import type { ManifestService } from '@davit/documents'

import { changedMappings, type NameOf } from './changes.ts'
import { compareText } from './placed-service.ts'
import type { Reason } from './reason.ts'

/** What a service is activated with, beyond what its key depends on. */
export interface Settings {
  readonly service: ManifestService
  readonly properties: ReadonlyMap<string, string>
  /** Unknown where it is not on the machine yet. */
  readonly module: string | undefined
}

/** How the settings of one mapping differ, without any value of a property. */
export function settingChanges(before: Settings, after: Settings, nameOf: NameOf): readonly Reason[] {
  const reasons: Reason[] = []
  const names = changedNames(before.properties, after.properties)
  if (names.length > 0) reasons.push({ kind: 'changed-properties', names })
  const services = changedMappings(before.service.connectsTo, after.service.connectsTo, nameOf)
  if (services.length > 0) reasons.push({ kind: 'changed-connections', services })
  if (before.module !== undefined && after.module !== undefined && before.module !== after.module)
    reasons.push({ kind: 'changed-module' })
  return reasons
}

function changedNames(before: Settings['properties'], after: Settings['properties']): readonly string[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].filter((name) => before.get(name) !== after.get(name)).sort(compareText)
}
