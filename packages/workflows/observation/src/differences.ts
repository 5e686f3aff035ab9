import { type Manifest, type MappingId, mappingIdOf, type ServiceKey } from '@davit/documents'
import { type ActivityDefinition, definitionOf, type Machine, type ObservedRecord, resolveModules } from '@davit/target'
import { type ObservedMapping, settingChanges, type Settings } from '@davit/transition'

export interface Descriptions {
  readonly next: Manifest
  /** Last generation. */
  readonly previous: Manifest | undefined
}

export type Difference = Required<Pick<ObservedMapping, 'changes' | 'areChangesTold'>>

/** Finds records that differ from the next manifest under the same key, and how. */
export async function differencesOf(
  machine: Machine,
  records: readonly ObservedRecord[],
  { next, previous }: Descriptions,
): Promise<ReadonlyMap<ObservedRecord, Difference>> {
  const ids = new Set(records.map(({ mapping }) => mappingIdOf(mapping)))
  const wanted = definitionsIn(next, ids)
  const before = previous === undefined ? new Map<MappingId, ActivityDefinition>() : definitionsIn(previous, ids)
  const references = new Set([...wanted.values(), ...before.values()].map(({ module }) => module))
  const modules = await resolveModules(machine, [...references])
  const settingsOf = (definition: ActivityDefinition): Settings => ({
    ...definition,
    module: modules.get(definition.module),
  })
  const recorded = new Map(records.map(({ mapping, service }) => [mapping.service, service.name]))
  const nameOf = (key: ServiceKey) => next.services.get(key)?.name ?? recorded.get(key)
  return new Map(
    records.flatMap((record) => {
      const id = mappingIdOf(record.mapping)
      const [definition, last] = [wanted.get(id), before.get(id)]
      if (definition === undefined) return []
      const after = settingsOf(definition)
      const changes = settingChanges(record.definition, after, nameOf)
      if (changes.length === 0) return []
      const areChangesTold = last !== undefined && settingChanges(settingsOf(last), after, nameOf).length === 0
      return [[record, { changes, areChangesTold }] as const]
    }),
  )
}

function definitionsIn(manifest: Manifest, ids: ReadonlySet<MappingId>): ReadonlyMap<MappingId, ActivityDefinition> {
  return new Map(
    manifest.serviceMappings
      .filter((mapping) => ids.has(mappingIdOf(mapping)) && manifest.services.has(mapping.service))
      .map((mapping) => [mappingIdOf(mapping), definitionOf(manifest, mapping)]),
  )
}
