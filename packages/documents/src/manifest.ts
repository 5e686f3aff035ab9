import * as v from 'valibot'
import { containerName, moduleName, serviceKey, serviceName, storeDirectory, storePath, targetName } from './ids.ts'
import { infrastructure } from './infrastructure.ts'
import { mapping, serviceMapping, snapshotMapping } from './mapping.ts'
import { properties, table } from './property.ts'

export const manifestService = v.object({
  name: serviceName,
  pkg: storePath,
  type: moduleName,
  dependsOn: v.array(mapping),
  connectsTo: v.array(mapping),
  providesContainers: table(containerName, properties),
})
export type ManifestService = v.InferOutput<typeof manifestService>

export const storeReference = v.object({
  kind: v.picklist(['native', 'nix']),
  /** The same path on every machine of the deployment. */
  directory: storeDirectory,
})
export type StoreReference = v.InferOutput<typeof storeReference>

/** What has to be done, one to one: profiles to copy, services to activate, state to move. */
export const manifest = v.object({
  profiles: table(targetName, storePath),
  services: table(serviceKey, manifestService),
  infrastructure,
  serviceMappings: v.array(serviceMapping),
  snapshotMappings: v.array(snapshotMapping),
  store: storeReference,
})
export type Manifest = v.InferOutput<typeof manifest>
