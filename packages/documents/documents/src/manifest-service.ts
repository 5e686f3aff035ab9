import * as v from 'valibot'
import { containerName, moduleName, serviceName, storePath } from './ids.ts'
import { mapping, mappingsXml } from './mapping.ts'
import { properties } from './property.ts'
import { object, list, table } from './quick-schemas.ts'
import * as spell from './xml/spelling.ts'

/** Schema of a service, given the schema of its inter-dependencies. */
export function manifestServiceWith(dependency: typeof mapping) {
  return object({
    name: serviceName,
    pkg: storePath,
    type: moduleName,
    dependsOn: v.optional(list(dependency), () => []),
    connectsTo: v.optional(list(dependency), () => []),
    providesContainers: v.optional(table(containerName, properties), () => new Map()),
  })
}

export const manifestService = manifestServiceWith(mapping)
export type ManifestService = v.InferOutput<typeof manifestService>

export const manifestServicesXml = spell.table(
  'service',
  spell.record({
    name: spell.text,
    pkg: spell.text,
    type: spell.text,
    dependsOn: mappingsXml,
    connectsTo: mappingsXml,
    providesContainers: spell.table('container', spell.properties),
  }),
)
