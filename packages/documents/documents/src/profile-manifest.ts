import * as v from 'valibot'
import { checkProfileManifest } from './checks/check-manifest.ts'
import type { Format } from './format.ts'
import { serviceKey, type TargetName, targetName } from './ids.ts'
import { type ManifestService, manifestServicesXml, manifestServiceWith } from './manifest-service.ts'
import { type Mapping, mappingsWith, serviceMappingFields, snapshotMappingsXml } from './mapping.ts'
import { list, table } from './quick-schemas.ts'
import * as spell from './xml/spelling.ts'

function profileManifestWith(target: v.GenericSchema<unknown, TargetName>) {
  const { mapping, serviceMapping, snapshotMapping } = mappingsWith(target)
  const placedMapping = v.object({
    ...serviceMapping.entries,
    /** Place among the mappings of the service in the manifest; absent if these are in the order of the targets' names. */
    position: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  })
  return v.object({
    services: table(serviceKey, manifestServiceWith(mapping)),
    serviceMappings: list(placedMapping),
    snapshotMappings: list(snapshotMapping),
  })
}

/** The part of a manifest that concerns one target. */
export type ProfileManifest = v.InferOutput<ReturnType<typeof profileManifestWith>>

const profileManifestXml = spell.record({
  services: manifestServicesXml,
  serviceMappings: spell.list('mapping', spell.record({ ...serviceMappingFields, position: spell.number })),
  snapshotMappings: snapshotMappingsXml,
})

const common = {
  name: 'profilemanifest',
  title: 'a profile manifest',
  version: 2,
  header: 'required',
  xml: profileManifestXml,
  check: checkProfileManifest,
} as const

const targetIfWritten = v.exactOptional(targetName) as v.GenericSchema<
  unknown,
  TargetName | undefined
> as v.GenericSchema<unknown, TargetName>

const everyTargetWritten: Format<ProfileManifest> = { ...common, schema: profileManifestWith(targetName) }

/** In memory every mapping has its target. The text in a profile leaves out its own target: `ProfileManifest.on(target)`. */
export const ProfileManifest = {
  ...everyTargetWritten,
  on: (target: TargetName): Format<ProfileManifest> => ({
    ...common,
    schema: profileManifestWith(v.optional(targetName, target)),
    written: (manifest) => withoutTarget(manifest, target),
  }),
  /** For a reader that does not know the target: its mappings have no target in memory either. */
  ofAnyTarget: { ...common, schema: profileManifestWith(targetIfWritten) } as unknown as Format<unknown>,
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

const profileManifestTargets = table(targetName, v.object({ profileManifest: profileManifestWith(targetName) }))

/** The profile manifests of several targets, by target. */
export type ProfileManifestTargets = v.InferOutput<typeof profileManifestTargets>
export const ProfileManifestTargets = {
  name: 'profileManifestTargets',
  title: 'profile manifests of targets',
  version: 2,
  header: 'required',
  schema: profileManifestTargets,
  xml: spell.table('target', spell.record({ profileManifest: profileManifestXml })),
  jsonField: 'targets',
} as const satisfies Format<ProfileManifestTargets>
