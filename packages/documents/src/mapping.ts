import * as v from 'valibot'
import { containerName, serviceKey, targetName } from './ids.ts'

/** A service of a manifest in a container on a target: what is activated and deactivated. */
export const mapping = v.object({
  service: serviceKey,
  target: targetName,
  container: containerName,
})
export type Mapping = v.InferOutput<typeof mapping>

export const serviceMapping = v.object({
  ...mapping.entries,
  /** Key of the service that provides the container, whose package then holds the module. */
  containerProvidedByService: v.exactOptional(serviceKey),
})
export type ServiceMapping = v.InferOutput<typeof serviceMapping>

export const snapshotMapping = v.object({
  ...serviceMapping.entries,
  /** Base name of the package without its hash. */
  component: v.string(),
})
export type SnapshotMapping = v.InferOutput<typeof snapshotMapping>

/** Identity of a mapping as text, in the order in which the original sorts: target, container, service key. */
export type MappingId = string & { readonly __brand: 'MappingId' }

export function mappingIdOf({ target, container, service }: Mapping): MappingId {
  return `${target} ${container} ${service}` as MappingId
}
