import * as v from 'valibot'
import type { Format } from './format.ts'
import { list } from './quick-schemas.ts'

const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const time = v.pipe(
  v.string(),
  v.check((text) => !Number.isNaN(Date.parse(text)), 'expected a time in ISO 8601'),
)
const optionValue = v.union([v.string(), v.number(), v.boolean(), v.array(v.string())])

/** The command that was given. */
const order = v.object({
  tool: v.string(),
  began: time,
  /** Directory from which relative names start. */
  directory: v.string(),
  /** Options that were given or set by variables, by their names without dashes. */
  options: v.record(v.string(), optionValue),
})

const modelFile = v.object({
  /** Absolute path. */
  file: v.string(),
  /** Which model it is; absent from files that models import. */
  role: v.exactOptional(v.string()),
  bytes: count,
  /** In hexadecimal. */
  sha256: v.string(),
  /** Absent if the models together are too long to be kept. */
  text: v.exactOptional(v.string()),
})
export type ModelFile = v.InferOutput<typeof modelFile>

export const plannedStep = v.object({
  activity: v.string(),
  step: v.string(),
  service: v.string(),
  target: v.string(),
  container: v.string(),
  /** Kinds of the reasons, and their texts. */
  reasons: list(v.string()),
  why: list(v.string()),
})
export type PlannedStep = v.InferOutput<typeof plannedStep>

export const told = v.object({
  kind: v.picklist(['note', 'warning']),
  code: v.string(),
  message: v.string(),
  target: v.exactOptional(v.string()),
})
export type ToldMessage = v.InferOutput<typeof told>

/** A transition that was carried out to its end. */
const transition = v.object({
  /** SHA-256 of the text of the manifest, in hexadecimal. */
  manifest: v.string(),
  began: time,
  ended: time,
  steps: list(plannedStep),
  messages: list(told),
})

export const madeFrom = v.object({
  /** Version of davit that recorded the generation. */
  davit: v.exactOptional(v.string()),
  order: v.exactOptional(order),
  models: v.exactOptional(list(modelFile)),
  /** Text of the compiled stack that the models were made of. */
  stack: v.exactOptional(v.string()),
  transition: v.exactOptional(transition),
})
/** What a generation was made from, as far as it is known. */
export type MadeFrom = v.InferOutput<typeof madeFrom>

export const MadeFrom: Format<MadeFrom> = {
  name: 'made-from',
  title: 'a record of what a generation was made from',
  version: 1,
  header: 'optional',
  schema: madeFrom,
}
