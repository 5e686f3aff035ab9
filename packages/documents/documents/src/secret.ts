import { quoted } from '@davit/diagnostics'
import * as v from 'valibot'
import type { Properties, PropertyValue } from './property.ts'
import { propertyText } from './property-text.ts'

/** Where the coordinator finds a value that no document contains. A command is a program with its arguments, or text for `sh`. */
export type SecretReference =
  | { readonly file: string }
  | { readonly env: string }
  | { readonly command: string | readonly string[] }

/** Text of a property, some of whose parts are secret. As in any list, parts are joined by spaces. */
export type SecretText = readonly (string | SecretReference)[]

const filled = v.pipe(v.string(), v.nonEmpty())

const secretText: v.GenericSchema<unknown, SecretText> = v.array(
  v.union([
    v.string(),
    v.strictObject({ file: filled }),
    v.strictObject({ env: filled }),
    v.strictObject({ command: v.union([filled, v.pipe(v.array(v.string()), v.minLength(1))]) }),
  ]),
)

/** A property as a record has it. */
export const secretProperty = v.object({
  text: secretText,
  /** Of the value with which the module was called. */
  digest: v.exactOptional(v.string()),
})
export type SecretProperty = v.InferOutput<typeof secretProperty>

/** Returns the parts of a property of a container if one of them is secret. */
export function secretTextOf(value: PropertyValue): SecretText | undefined {
  const parts = partsOf(value)
  return parts.every((part) => typeof part === 'string') ? undefined : parts
}

function partsOf(value: PropertyValue): SecretText {
  if (Array.isArray(value)) return value.flatMap((member: PropertyValue) => partsOf(member))
  return [referenceIn(value) ?? propertyText(value)]
}

function referenceIn(value: PropertyValue): SecretReference | undefined {
  const source = isSecret(value) ? value.get(SECRET) : undefined
  if (!(source instanceof Map)) return undefined
  const [[kind, where] = []] = source as Properties
  return kind === undefined ? undefined : ({ [kind]: where } as unknown as SecretReference)
}

export const SECRET = 'secret'

/** In properties of containers, every table with this member is a secret. */
export function isSecret(value: PropertyValue): value is Properties {
  return value instanceof Map && value.has(SECRET)
}

/** Text for people: `file '/etc/keys/db'`. */
export function renderSecret(reference: SecretReference): string {
  if ('file' in reference) return `file ${quoted(reference.file)}`
  if ('env' in reference) return `variable ${quoted(reference.env)}`
  const { command } = reference
  return `command ${quoted(typeof command === 'string' ? command : command.join(' '))}`
}

/** Changes the files and programs of all secrets among properties; `change` gets them as written. */
export function withSecretPaths(properties: Properties, change: (path: string) => string): Properties {
  return new Map([...properties].map(([name, value]) => [name, withPaths(value, change)]))
}

function withPaths(value: PropertyValue, change: (path: string) => string): PropertyValue {
  if (Array.isArray(value)) return value.map((member: PropertyValue) => withPaths(member, change))
  const source = isSecret(value) ? value.get(SECRET) : undefined
  if (!isSecret(value) || !(source instanceof Map)) return value
  const changed = [...(source as Properties)].map(([kind, where]) => [kind, withPath(kind, where, change)] as const)
  return new Map([...value, [SECRET, new Map(changed)]])
}

function withPath(kind: string, where: PropertyValue, change: (path: string) => string): PropertyValue {
  if (kind === 'file') return typeof where === 'string' && where !== '' ? change(where) : where
  if (kind !== 'command' || !Array.isArray(where)) return where
  const [program, ...rest] = where as readonly PropertyValue[]
  // Programs without a slash are looked for in PATH.
  return typeof program === 'string' && program.includes('/') ? [change(program), ...rest] : where
}
