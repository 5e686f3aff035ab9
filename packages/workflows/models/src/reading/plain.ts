import { Float } from '@davit/languages'
import { UNREAD } from './unread.ts'

/** Makes a table for functions of models: `__proto__` is a name like any other; keys such as symbols and objects are left out. */
export function tableOf(
  entries: Iterable<readonly [unknown, unknown]>,
  guard: object | null = null,
): Record<string, unknown> {
  const table = Object.create(guard) as Record<string, unknown>
  for (const [name, value] of entries) {
    if (!NAMES.has(typeof name)) continue
    Object.defineProperty(table, String(name), { value, enumerable: true, configurable: true, writable: true })
  }
  return table
}

const NAMES: ReadonlySet<string> = new Set(['string', 'number', 'boolean'])

/** Copies a table of a JavaScript program shallowly; converts a table that was read as data to plain JavaScript. */
export function plainOf(table: object): Record<string, unknown> {
  if (!(table instanceof Map)) return tableOf(Object.entries(table))
  return tableOf([...table].map(([name, value]) => [name, plainValueOf(value)]))
}

export function plainValueOf(value: unknown): unknown {
  if (value instanceof Float) return value.value
  if (value === UNREAD) return undefined
  if (Array.isArray(value)) return value.map(plainValueOf)
  return value instanceof Map ? plainOf(value) : value
}
