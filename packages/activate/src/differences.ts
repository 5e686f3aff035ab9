import { type Manifest, type MappingId, mappingIdOf, type ServiceKey } from '@davit/documents'
import { type ActivityDefinition, definitionOf, type Machine, type ObservedRecord, resolveModules } from '@davit/target'
import { type Reason, settingChanges } from '@davit/transition'

/** What the next manifest says otherwise of what is recorded under the same key, for each of the records where there is something. */
export async function differencesOf(
  machine: Machine,
  records: readonly ObservedRecord[],
  next: Manifest,
): Promise<ReadonlyMap<ObservedRecord, readonly Reason[]>> {
  const wanted = definitionsIn(next, new Set(records.map(({ mapping }) => mappingIdOf(mapping))))
  const references = new Set([...wanted.values()].map(({ module }) => module))
  const modules = await resolveModules(machine, [...references])
  const recorded = new Map(records.map(({ mapping, service }) => [mapping.service, service.name]))
  const nameOf = (key: ServiceKey) => next.services.get(key)?.name ?? recorded.get(key)
  return new Map(
    records.flatMap((record) => {
      const definition = wanted.get(mappingIdOf(record.mapping))
      if (definition === undefined) return []
      const after = { ...definition, module: modules.get(definition.module) }
      const changes = settingChanges(record.definition, after, nameOf)
      return changes.length === 0 ? [] : [[record, changes] as const]
    }),
  )
}

function definitionsIn(next: Manifest, ids: ReadonlySet<MappingId>): ReadonlyMap<MappingId, ActivityDefinition> {
  return new Map(
    next.serviceMappings
      .filter((mapping) => ids.has(mappingIdOf(mapping)) && next.services.has(mapping.service))
      .map((mapping) => [mappingIdOf(mapping), definitionOf(next, mapping)]),
  )
}
