import * as v from 'valibot'
import { serviceKey } from './ids.ts'
import { manifestService } from './manifest.ts'
import { serviceMapping, snapshotMapping } from './mapping.ts'
import { table } from './property.ts'

/** The part of a manifest that concerns one target; in text, mappings to that very target have no target. */
export const profileManifest = v.object({
  services: table(serviceKey, manifestService),
  serviceMappings: v.array(serviceMapping),
  snapshotMappings: v.array(snapshotMapping),
})
export type ProfileManifest = v.InferOutput<typeof profileManifest>
