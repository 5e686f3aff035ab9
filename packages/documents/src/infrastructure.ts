import * as v from 'valibot'
import { containerName, system, targetName } from './ids.ts'
import { properties, table } from './property.ts'

/** A machine, every default filled in. */
export const target = v.object({
  properties,
  containers: table(containerName, properties),
  system,
  /** How many activities may run on it at a time. */
  numOfCores: v.pipe(v.number(), v.integer(), v.minValue(1)),
  /** `ssh`, `local`, their names in the original toolset, or the path of an external client. */
  clientInterface: v.string(),
  /** Which of `properties` says how to reach it. */
  targetProperty: v.string(),
})
export type Target = v.InferOutput<typeof target>

export const infrastructure = table(targetName, target)
export type Infrastructure = v.InferOutput<typeof infrastructure>
