import { resolve } from 'node:path'
import { type Properties, type PropertyValue, withSecretPaths } from '@davit/documents'
import { Float, floatIn } from '@davit/languages'
import { say } from '../messages.ts'
import {
  described,
  entriesOf,
  hintForNull,
  isObject,
  itemsOf,
  membersOf,
  type Part,
  refuse,
  refuseUndefined,
  warn,
} from './part.ts'

/** Whether properties reach nobody but modules, which get text, or also programs and davit-place, for which a number can be meant. */
export type PropertyUse = 'module' | 'any'

export interface PropertyTerms {
  readonly expected: string
  readonly use: PropertyUse
}

export function readProperties(part: Part, { expected, use }: PropertyTerms): Properties {
  const properties = new Map<string, PropertyValue>()
  refuseUndefined(part, 'property')
  for (const [name, member] of membersOf(part, expected)) {
    const value = readProperty(member, use)
    if (value !== undefined) properties.set(name, value)
  }
  return properties
}

/** Makes the paths of secrets absolute, which are relative to the model. */
export function withAbsolutePaths(properties: Properties, { origin }: Part): Properties {
  return withSecretPaths(properties, (path) => resolve(origin.directory, path))
}

/** Reads free-form data; records values that documents cannot contain. */
export function readProperty(part: Part, use: PropertyUse): PropertyValue | undefined {
  const { value } = part
  warnIfAmbiguous(part, use)
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' || typeof value === 'bigint') return readNumber(value, part)
  const float = floatIn(value)
  if (float !== undefined) return readFloat(float, part)
  return readCollection(part, use)
}

function readCollection(part: Part, use: PropertyUse): PropertyValue | undefined {
  const { value } = part
  if (contains(part.parent, value)) return refuse(part, 'a table or list cannot contain itself')
  if (Array.isArray(value)) return readList(part, use)
  if (entriesOf(value) !== undefined) return readProperties(part, { expected: 'a table', use })
  const message = `expected text, a number, true or false, a list or a table, but got ${described(value)}`
  return refuse(part, message, hintForNull(part))
}

function readList(part: Part, use: PropertyUse): readonly PropertyValue[] {
  return itemsOf(part, 'a list').flatMap((item) => {
    const property = readProperty(item, use)
    return property === undefined ? [] : [property]
  })
}

/** Warns in data of what programs may expect as a number, and of truth values that modules get as another text. */
function warnIfAmbiguous(part: Part, use: PropertyUse): void {
  const { value, path, origin } = part
  const written = origin.writtenAt?.(path)
  if (typeof value === 'boolean' && (written !== undefined || use === 'module')) warnOfBoolean(part, value)
  if (typeof value !== 'string' || written === undefined || use === 'module') return
  const hint = `write "${written}" if text is meant${otherwise(Number(written))}`
  warn(part, say('value-ambiguous', { written, arrives: value, hint }))
}

function otherwise(number: number): string {
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? `, ${number} if a number is` : ''
}

/** Warns in data of a truth value that becomes another text. */
export function warnOfBoolean(part: Part, value: boolean): void {
  if (part.origin.writtenAt === undefined) return
  const written = part.origin.writtenAt(part.path) ?? String(value)
  const arrives = value ? '1' : ''
  const hint = `write "${written}" if that is meant, or "${arrives}" for what arrives`
  warn(part, say('value-ambiguous', { written, arrives, hint }))
}

/** Negative zero becomes zero. */
function readNumber(value: number | bigint, part: Part): PropertyValue | undefined {
  if (typeof value === 'number' && !Number.isInteger(value)) {
    return readFloat(value, part) === undefined ? undefined : value
  }
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value + 0
  return refuse(part, `the integer ${value} is too large to be exact`, 'write it as text, or as a float')
}

function readFloat(value: number, part: Part): Float | undefined {
  return Number.isFinite(value) ? new Float(value) : refuse(part, `documents cannot contain the number ${value}`)
}

function contains(part: Part | undefined, value: unknown): boolean {
  if (part === undefined || !isObject(value)) return false
  return part.value === value || contains(part.parent, value)
}
