import * as v from 'valibot'
import { object } from './quick-schemas.ts'
import { containerName, serviceKey, type TargetName, targetName } from './ids.ts'
import { text } from './property.ts'
import * as spell from './xml/spelling.ts'

/** Schemas of mappings, given the schema of `target`, which may be optional where a document belongs to one target. */
export function mappingsWith(target: v.GenericSchema<unknown, TargetName>) {
  const mapping = object({
    service: serviceKey,
    target,
    container: containerName,
  })
  const serviceMapping = object({
    ...mapping.entries,
    /** Key of the service that provides the container; its package contains the module. */
    containerProvidedByService: v.exactOptional(serviceKey),
  })
  const snapshotMapping = object({
    ...serviceMapping.entries,
    /** File name of the package without its hash. */
    component: text,
  })
  return { mapping, serviceMapping, snapshotMapping }
}

export const { mapping, serviceMapping, snapshotMapping } = mappingsWith(targetName)

/** A service of a manifest in a container on a target: what is activated and deactivated. */
export type Mapping = v.InferOutput<typeof mapping>
export type ServiceMapping = v.InferOutput<typeof serviceMapping>
export type SnapshotMapping = v.InferOutput<typeof snapshotMapping>

const mappingXml = spell.record({ container: spell.text, service: spell.text, target: spell.text })
export const serviceMappingFields = {
  container: spell.text,
  containerProvidedByService: spell.text,
  service: spell.text,
  target: spell.text,
} as const
const snapshotMappingXml = spell.record({
  component: spell.text,
  container: spell.text,
  containerProvidedByService: spell.text,
  service: spell.text,
  target: spell.text,
})

export const mappingsXml = spell.list('mapping', mappingXml)
export const serviceMappingsXml = spell.list('mapping', spell.record(serviceMappingFields))
export const snapshotMappingsXml = spell.list('mapping', snapshotMappingXml)

/** Identity of a mapping as text, in the original toolset's sort order: target, container, service key. */
export type MappingId = string & { readonly __brand: 'MappingId' }

export function mappingIdOf({ target, container, service }: Mapping): MappingId {
  return `${target} ${container} ${service}` as MappingId
}
