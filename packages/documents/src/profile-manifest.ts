import * as v from 'valibot'
import { checkProfileManifest } from './check-manifest.ts'
import type { Format } from './format.ts'
import { serviceKey, type TargetName, targetName } from './ids.ts'
import { type ManifestService, manifestServicesXml, manifestServiceWith } from './manifest-service.ts'
import { type Mapping, mappingsWith, serviceMappingsXml, snapshotMappingsXml } from './mapping.ts'
import { table } from './property.ts'
import * as spell from './spelling.ts'

/** The part of a manifest that concerns one target; what is written without a target is on this one. */
function profileManifestOn(target: TargetName) {
  const { mapping, serviceMapping, snapshotMapping } = mappingsWith(v.optional(targetName, target))
  return v.object({
    services: table(serviceKey, manifestServiceWith(mapping)),
    serviceMappings: v.array(serviceMapping),
    snapshotMappings: v.array(snapshotMapping),
  })
}
export type ProfileManifest = v.InferOutput<ReturnType<typeof profileManifestOn>>

const profileManifestXml = spell.record({
  services: manifestServicesXml,
  serviceMappings: serviceMappingsXml,
  snapshotMappings: snapshotMappingsXml,
})

/** `ProfileManifest.on(target)` is the format; in memory every mapping has its target, in text those to `target` have none. */
export const ProfileManifest = {
  on: (target: TargetName): Format<ProfileManifest> => ({
    name: 'profilemanifest',
    title: 'profile manifest',
    version: 2,
    header: 'required',
    schema: profileManifestOn(target),
    xml: profileManifestXml,
    written: (manifest) => withoutTarget(manifest, target),
    check: checkProfileManifest,
  }),
}

function withoutTarget({ services, serviceMappings, snapshotMappings }: ProfileManifest, target: TargetName) {
  const leaveOut = ({ target: own, ...rest }: Mapping) => (own === target ? rest : { ...rest, target: own })
  const leaveOutOfService = ({ dependsOn, connectsTo, ...rest }: ManifestService) => ({
    ...rest,
    dependsOn: dependsOn.map(leaveOut),
    connectsTo: connectsTo.map(leaveOut),
  })
  return {
    services: new Map([...services].map(([key, service]) => [key, leaveOutOfService(service)])),
    serviceMappings: serviceMappings.map(leaveOut),
    snapshotMappings: snapshotMappings.map(leaveOut),
  }
}
