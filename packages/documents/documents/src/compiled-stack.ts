import * as v from 'valibot'
import type { Format } from './format.ts'
import { list, table } from './quick-schemas.ts'

const text = v.string()
const texts = list(text)
/** Any data: values of properties are what stack files make of them. */
const values = table(text, v.unknown())

/** An instance of a stack. */
const compiledService = v.object({
  type: text,
  /** Missing for nested stacks, which nobody can refer to. */
  ref: v.exactOptional(text),
  chain: texts,
  public: v.boolean(),
  intrinsic: v.boolean(),
  properties: values,
  dependsOn: texts,
  endpoints: list(v.union([text, v.number()])),
  readonly: texts,
  perturbs: texts,
})

const compiledStack = v.object({
  name: text,
  metadata: values,
  arguments: table(text, text),
  cluster: v.exactOptional(v.object({ name: text, cloud: v.exactOptional(text), scheduler: v.exactOptional(text) })),
  properties: values,
  services: table(text, compiledService),
  order: texts,
  references: table(text, v.object({ pinned: text, file: text, sha256: text })),
})

export type CompiledService = v.InferOutput<typeof compiledService>

/** A stack that was compiled: the tree of its instances with bound properties. */
export type CompiledStack = v.InferOutput<typeof compiledStack>

export const CompiledStack: Format<CompiledStack> = {
  name: 'stack',
  title: 'a compiled stack',
  version: 1,
  schema: compiledStack,
  header: 'required',
}
