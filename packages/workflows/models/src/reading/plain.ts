import { Float } from '@davit/languages'
import { UNREAD } from './unread.ts'

/** A table as functions of models get it: names such as `__proto__` are names; what a program may use beside texts names nothing. */
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

/** A shallow copy of a table that was written in JavaScript; the plain JavaScript form of one that was read as data. */
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
