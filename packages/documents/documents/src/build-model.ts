import * as v from 'valibot'
import type { Format } from './format.ts'
import { storePath, targetName } from './ids.ts'
import { text } from './property.ts'
import { list, table } from './quick-schemas.ts'
import { checkReferences } from './checks/check-references.ts'
import * as spell from './xml/spelling.ts'

export const derivationMapping = v.object({
  derivation: storePath,
  interface: targetName,
})
export type DerivationMapping = v.InferOutput<typeof derivationMapping>

export const buildInterface = v.object({
  /** Value of the target's `targetProperty`. */
  targetAddress: text,
  clientInterface: text,
})
export type BuildInterface = v.InferOutput<typeof buildInterface>

/** Derivations, and the machines that build them. */
export const buildModel = v.object({
  derivationMappings: list(derivationMapping),
  interfaces: table(targetName, buildInterface),
})
export type BuildModel = v.InferOutput<typeof buildModel>

export const BuildModel: Format<BuildModel> = {
  name: 'distributedderivation',
  title: 'a build model',
  version: 2,
  header: 'required',
  schema: buildModel,
  knowsAllKeys: true,
  xml: spell.record({
    derivationMappings: spell.list('mapping', spell.record({ derivation: spell.text, interface: spell.text })),
    interfaces: spell.table('interface', spell.record({ targetAddress: spell.text, clientInterface: spell.text })),
  }),
  check: ({ derivationMappings, interfaces }) =>
    checkReferences(
      derivationMappings.map(({ interface: name }, index) => ({
        path: ['derivationMappings', index, 'interface'],
        name,
      })),
      { what: 'interface', table: interfaces },
    ),
}
