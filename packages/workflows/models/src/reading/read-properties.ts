import { resolve } from 'node:path'
import { type Properties, type PropertyValue, withSecretPaths } from '@davit/documents'
import { Float, floatIn } from '@davit/languages'
import { described, entriesOf, isObject, itemsOf, membersOf, type Part, refuse, refuseUndefined } from './part.ts'

export function readProperties(part: Part, expected: string): Properties {
  const properties = new Map<string, PropertyValue>()
  refuseUndefined(part, 'property')
  for (const [name, member] of membersOf(part, expected)) {
    const value = readProperty(member)
    if (value !== undefined) properties.set(name, value)
  }
  return properties
}

/** Makes the paths of secrets absolute, which are relative to the model. */
export function withAbsolutePaths(properties: Properties, { origin }: Part): Properties {
  return withSecretPaths(properties, (path) => resolve(origin.directory, path))
}

/** Reads free-form data; records values that documents cannot contain. */
export function readProperty(part: Part): PropertyValue | undefined {
  const { value } = part
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' || typeof value === 'bigint') return readNumber(value, part)
  const float = floatIn(value)
  if (float !== undefined) return readFloat(float, part)
  return readCollection(part)
}

function readCollection(part: Part): PropertyValue | undefined {
  const { value } = part
  if (contains(part.parent, value)) return refuse(part, 'a table or list cannot contain itself')
  if (Array.isArray(value)) return readList(part)
  if (entriesOf(value) !== undefined) return readProperties(part, 'a table')
  return refuse(part, `expected text, a number, true or false, a list or a table, but got ${described(value)}`)
}

function readList(part: Part): readonly PropertyValue[] {
  return itemsOf(part, 'a list').flatMap((item) => {
    const property = readProperty(item)
    return property === undefined ? [] : [property]
  })
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
