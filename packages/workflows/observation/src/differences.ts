import type { Report } from '@davit/diagnostics'
import { type Manifest, type MappingId, mappingIdOf, type ServiceKey } from '@davit/documents'
import {
  type ActivityDefinition,
  definitionOf,
  type Machine,
  type ModuleReference,
  type ObservedRecord,
  resolveModules,
  unresolvedOf,
} from '@davit/target'
import { type ObservedMapping, placedServices, settingChanges, type Settings } from '@davit/transition'

import { say } from './messages.ts'
import { changedSecrets, comparable, referencesOf } from './secrets.ts'

export interface Descriptions {
  readonly next: Manifest
  /** Last generation. */
  readonly previous: Manifest | undefined
  readonly report: Report
  /** Modules of the manifests that are on the machine, if they are known; otherwise the machine is asked. */
  readonly modules?: ReadonlyMap<ModuleReference, string> | undefined
}

export type Difference = Required<Pick<ObservedMapping, 'changes' | 'areChangesTold'>>

/** Finds records that differ from the next manifest under the same key, and how. */
export async function differencesOf(
  machine: Machine<'deploy' | 'query'>,
  records: readonly ObservedRecord[],
  { next, previous, report, modules: known }: Descriptions,
): Promise<ReadonlyMap<ObservedRecord, Difference>> {
  const ids = new Set(records.map(({ mapping }) => mappingIdOf(mapping)))
  const wanted = definitionsIn(next, ids)
  const before = previous === undefined ? new Map<MappingId, ActivityDefinition>() : definitionsIn(previous, ids)
  const references = new Set([...wanted.values(), ...before.values()].map(({ module }) => module))
  const modules = known ?? (await resolveModules(machine, [...references]))
  const settingsOf = (definition: ActivityDefinition, textOf = referencesOf(definition)): Settings => ({
    ...definition,
    properties: comparable(definition, textOf),
    module: modules.get(definition.module),
  })
  const recorded = new Map(records.map(({ mapping, service }) => [mapping.service, service.name]))
  const nameOf = (key: ServiceKey) => next.services.get(key)?.name ?? recorded.get(key)
  const found = records.map(async (record): Promise<readonly (readonly [ObservedRecord, Difference])[]> => {
    const id = mappingIdOf(record.mapping)
    const [definition, last] = [wanted.get(id), before.get(id)]
    if (definition === undefined) return []
    const changed = await secretChanges(machine, { record, next: definition, report })
    const was = { ...record.definition, properties: comparable(record.definition, () => 'before') }
    const after = settingsOf(definition, (name) => (changed.includes(name) ? 'after' : 'before'))
    const changes = settingChanges(was, after, nameOf)
    if (changes.length === 0) return []
    const isTold = last !== undefined && settingChanges(settingsOf(last), settingsOf(definition), nameOf).length === 0
    return [[record, { changes, areChangesTold: isTold && !changed.some(isNewBehind(record.definition, definition)) }]]
  })
  return new Map((await Promise.all(found)).flat())
}

interface SecretsInQuestion {
  readonly record: ObservedRecord
  readonly next: ActivityDefinition
  readonly report: Report
}

/** Reports secrets that cannot be resolved: their values count as unchanged. */
async function secretChanges(
  machine: Pick<Machine, 'secrets'>,
  { record: { mapping, definition: recorded }, next, report }: SecretsInQuestion,
): Promise<readonly string[]> {
  if (recorded.secrets === undefined || next.secrets === undefined) return []
  const reasons = await unresolvedOf({ mapping, definition: next }, machine.secrets)
  for (const reason of reasons) report(say('secret-not-compared', { target: mapping.target, reason }))
  return reasons.length > 0 ? [] : changedSecrets(machine, { mapping, recorded, next })
}

/** Whether the value behind a reference has changed, and not the reference: no generation tells of that. */
function isNewBehind(recorded: ActivityDefinition, next: ActivityDefinition): (name: string) => boolean {
  return (name) => referencesOf(recorded)(name) === referencesOf(next)(name)
}

function definitionsIn(manifest: Manifest, ids: ReadonlySet<MappingId>): ReadonlyMap<MappingId, ActivityDefinition> {
  const placed = placedServices(manifest)
  const found = new Map<MappingId, ActivityDefinition>()
  for (const id of ids) {
    const one = placed.get(id)
    if (one !== undefined) found.set(id, definitionOf(manifest, one.mapping))
  }
  return found
}
