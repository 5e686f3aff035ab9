import * as v from 'valibot'
import { checkTargetSecrets } from './checks/check-secrets.ts'
import { checkTargets } from './checks/check-targets.ts'
import type { Format } from './format.ts'
import { containerName, system, targetName } from './ids.ts'
import { properties, propertyValue, text } from './property.ts'
import { object, table } from './quick-schemas.ts'
import * as spell from './xml/spelling.ts'

const noProperties = v.optional(properties, () => new Map())
const containers = v.optional(table(containerName, properties), () => new Map())

/** Zero counts as one: the original toolset would wait for ever. */
const numOfCores = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(0),
  v.transform((cores) => Math.max(1, cores)),
)

/** A target, every default filled in. */
export const target = object({
  properties: noProperties,
  containers,
  system,
  /** How many activities may run on the target at a time. */
  numOfCores: v.optional(numOfCores, 1),
  /** `ssh`, `local`, their names in the original toolset, or the path of an external client. */
  clientInterface: text,
  /** Name of the property that says how to reach the target. */
  targetProperty: text,
})
export type Target = v.InferOutput<typeof target>

export const infrastructure = table(targetName, target)
export type Infrastructure = v.InferOutput<typeof infrastructure>

/** A target as a person wrote it: defaults may be missing. */
export const partialTarget = object({
  properties: noProperties,
  containers,
  system: v.exactOptional(system),
  numOfCores: v.exactOptional(numOfCores),
  clientInterface: v.exactOptional(text),
  targetProperty: v.exactOptional(text),
})
export type PartialTarget = v.InferOutput<typeof partialTarget>

export const partialInfrastructure = table(targetName, partialTarget)
export type PartialInfrastructure = v.InferOutput<typeof partialInfrastructure>

export const infrastructureXml = spell.table(
  'target',
  spell.record({
    properties: spell.properties,
    containers: spell.table('container', spell.properties),
    system: spell.text,
    numOfCores: spell.number,
    clientInterface: spell.text,
    targetProperty: spell.text,
  }),
)

const common = {
  name: 'infrastructure',
  title: 'an infrastructure',
  version: 2,
  xml: infrastructureXml,
  jsonField: 'infrastructure',
} as const

/** All targets of a deployment, as normalization completes them. */
export const Infrastructure: Format<Infrastructure> = {
  ...common,
  header: 'required',
  schema: infrastructure,
  check: (targets) => [...checkTargets(targets), ...checkTargetSecrets(targets)],
}

/** An infrastructure as input: the reader fills in defaults. */
export const PartialInfrastructure: Format<PartialInfrastructure> = {
  ...common,
  header: 'optional',
  schema: partialInfrastructure,
}

/** An infrastructure model with attributes of targets that davit does not read, but other models may. There is no XML for them. */
export const InfrastructureModel: Format<PartialInfrastructure> = {
  ...PartialInfrastructure,
  title: 'an infrastructure model',
  schema: table(targetName, v.objectWithRest(partialTarget.entries, propertyValue)),
}
