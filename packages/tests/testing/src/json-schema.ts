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
const WORDS: Readonly<Record<string, (wanted: never, value: unknown, whole: Schema) => boolean>> = {
  $schema: () => true,
  title: () => true,
  anyOf: (wanted: readonly Schema[], value) => wanted.some((one) => fits(one, value)),
  const: (wanted: unknown, value) => wanted === value,
  enum: (wanted: readonly unknown[], value) => wanted.includes(value),
  type: (wanted: string | readonly string[], value) => [wanted].flat().some((type) => TYPES[type]?.(value) === true),
  items: (wanted: Schema, value) => (value as readonly unknown[]).every((one) => fits(wanted, one)),
  required: (wanted: readonly string[], value) => wanted.every((name) => Object.hasOwn(value as object, name)),
  properties: (wanted: Readonly<Record<string, Schema>>, value) =>
    Object.entries(value as object).every(([name, one]) => wanted[name] === undefined || fits(wanted[name], one)),
  additionalProperties: (allowed: boolean | Schema, value, { properties = {} }) =>
    Object.entries(value as object).every(([name, one]) => {
      if (Object.hasOwn(properties as object, name)) return true
      return typeof allowed === 'boolean' ? allowed : fits(allowed, one)
    }),
}

/** Whether a value fits a JSON schema. */
export function fits(wanted: Schema, value: unknown): boolean {
  return Object.entries(wanted).every(([word, one]) => WORDS[word]?.(one as never, value, wanted) ?? false)
}
