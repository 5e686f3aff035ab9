import * as v from 'valibot'
import { checkReferences } from './checks/check-references.ts'
import type { Format } from './format.ts'
import { containerName, moduleName, serviceKey, serviceName, storePath } from './ids.ts'
import { text } from './property.ts'
import { list } from './quick-schemas.ts'
import * as spell from './xml/spelling.ts'

/** Targets are known by how they are reached: the value of their target property. */
const address = text

const profileMapping = v.object({ profile: storePath, target: address })

const dependency = v.object({ target: address, container: containerName, key: serviceKey })

const dependencies = v.optional(list(dependency), () => [])

const activationMapping = v.object({
  key: serviceKey,
  name: serviceName,
  /** Package of the service. */
  service: storePath,
  type: moduleName,
  target: address,
  container: containerName,
  dependsOn: dependencies,
  connectsTo: dependencies,
})
export type ActivationMapping = v.InferOutput<typeof activationMapping>

const snapshotMapping = v.object({
  component: text,
  container: containerName,
  target: address,
  service: storePath,
  type: v.exactOptional(moduleName),
})
export type FirstSnapshotMapping = v.InferOutput<typeof snapshotMapping>

/** A manifest as the original toolset wrote it before version 2: everything is in mappings, and there are no properties. */
const firstManifest = v.object({
  distribution: v.optional(list(profileMapping), () => []),
  activation: v.optional(list(activationMapping), () => []),
  snapshots: v.optional(list(snapshotMapping), () => []),
})
export type FirstManifest = v.InferOutput<typeof firstManifest>

const dependenciesXml = spell.list(
  'dependency',
  spell.record({ target: spell.text, container: spell.text, key: spell.text }),
)

export const FirstManifest: Format<FirstManifest> = {
  name: 'manifest',
  title: 'a manifest of version 1',
  version: 1,
  header: 'required',
  schema: firstManifest,
  xml: spell.record({
    distribution: spell.list('mapping', spell.record({ profile: spell.text, target: spell.text })),
    activation: spell.list(
      'mapping',
      spell.record({
        dependsOn: dependenciesXml,
        connectsTo: dependenciesXml,
        name: spell.text,
        service: spell.text,
        target: spell.text,
        container: spell.text,
        type: spell.text,
        key: spell.text,
      }),
    ),
    snapshots: spell.list(
      'mapping',
      spell.record({
        component: spell.text,
        container: spell.text,
        target: spell.text,
        service: spell.text,
        type: spell.text,
      }),
    ),
  }),
  check: ({ activation }) =>
    checkReferences(
      activation.flatMap((mapping, index) =>
        (['dependsOn', 'connectsTo'] as const).flatMap((kind) =>
          mapping[kind].map(({ key: name }, item) => ({ path: ['activation', index, kind, item, 'key'], name })),
        ),
      ),
      { what: 'service with key', table: new Map(activation.map(({ key }) => [key, true])) },
    ),
}
