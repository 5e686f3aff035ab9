import { byName } from './by-name.ts'

/** Returns the fields of an object or Map that have a value, in order of their names. */
export function fieldsOf(value: object): (readonly [string, unknown])[] {
  const fields: (readonly [string, unknown])[] = value instanceof Map ? [...value] : Object.entries(value)
  return fields.filter(([, field]) => field !== undefined).toSorted(byName)
}
