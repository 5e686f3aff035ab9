import type { ManifestService } from '@davit/documents'
import { compareText } from '@davit/languages'

import { changedMappings, type NameOf } from './changes.ts'
import type { Reason } from './reason.ts'

/** Settings with which a service is activated and that its key does not depend on. */
export interface Settings {
  readonly service: ManifestService
  readonly properties: ReadonlyMap<string, string>
  /** Undefined if the module is not on the machine yet. */
  readonly module: string | undefined
}

/** Returns how the settings of a mapping differ, without the values of properties. */
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
  const changed = [...before.keys()].filter((name) => before.get(name) !== after.get(name))
  const added = [...after.keys()].filter((name) => !before.has(name))
  return [...changed, ...added].sort(compareText)
}
