import { Float } from './float.ts'

/** Returns the members of a table or list with the steps that lead to them; none of a single value. */
export function membersOf(value: object): readonly (readonly [string | number, unknown])[] {
  if (value instanceof Float) return []
  if (Array.isArray(value)) return [...(value as readonly unknown[]).entries()]
  return value instanceof Map ? [...(value as ReadonlyMap<string, unknown>)] : Object.entries(value)
}
