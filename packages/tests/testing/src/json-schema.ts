export type Schema = Readonly<Record<string, unknown>>

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  null: (value) => value === null,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
}

/** Validates as much of JSON Schema as davit's schemas need; unknown keywords make validation fail. */
const WORDS: Readonly<Record<string, (wanted: never, value: unknown, whole: Schema, root: Schema) => boolean>> = {
  $schema: () => true,
  $defs: () => true,
  title: () => true,
  description: () => true,
  $ref: (wanted: string, value, _, root) => fits(definitionOf(wanted, root), value, root),
  anyOf: (wanted: readonly Schema[], value, _, root) => wanted.some((one) => fits(one, value, root)),
  not: (wanted: Schema, value, _, root) => !fits(wanted, value, root),
  pattern: (wanted: string, value) => typeof value !== 'string' || new RegExp(wanted, 'u').test(value),
  const: (wanted: unknown, value) => wanted === value,
  enum: (wanted: readonly unknown[], value) => wanted.includes(value),
  type: (wanted: string | readonly string[], value) => [wanted].flat().some((type) => TYPES[type]?.(value) === true),
  items: (wanted: Schema, value, _, root) => !Array.isArray(value) || value.every((one) => fits(wanted, one, root)),
  required: (wanted: readonly string[], value) => wanted.every((name) => Object.hasOwn(Object(value), name)),
  properties: (wanted: Readonly<Record<string, Schema>>, value, _, root) =>
    membersOf(value).every(([name, one]) => !Object.hasOwn(wanted, name) || fits(wanted[name] ?? {}, one, root)),
  additionalProperties: (allowed: boolean | Schema, value, { properties = {} }, root) =>
    membersOf(value).every(([name, one]) => {
      if (Object.hasOwn(properties as object, name)) return true
      return typeof allowed === 'boolean' ? allowed : fits(allowed, one, root)
    }),
}

/** Whether a value fits a JSON schema. */
export function fits(wanted: Schema, value: unknown, root: Schema = wanted): boolean {
  return Object.entries(wanted).every(([word, one]) => WORDS[word]?.(one as never, value, wanted, root) ?? false)
}

/** Members of a table; other values have none. */
function membersOf(value: unknown): readonly [string, unknown][] {
  return TYPES['object']?.(value) === true ? Object.entries(value as object) : []
}

/** Definition that a reference within a schema leads to: `#/$defs/NAME`. */
function definitionOf(reference: string, { $defs = {} }: Schema): Schema {
  const name = reference.replace('#/$defs/', '')
  const definition = ($defs as Readonly<Record<string, Schema>>)[name]
  if (definition === undefined) throw new Error(`the schema has no '${reference}'`)
  return definition
}
