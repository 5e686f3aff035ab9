import { Float } from '../float.ts'
import { marginWithin } from '../text/margin.ts'

/** Writes deterministic JSON: keys in order, indented by two spaces; Maps and objects both become objects. */
export function writeJson(value: unknown): string {
  return write(value, '\n')
}

/**
 * Writes a value; `margin` is a line break and the indentation of the line on which the value begins. Joining long texts level by
 * level takes less time and memory than one list of all their parts.
 */
function write(value: unknown, margin: string): string {
  if (typeof value === 'string') return quote(value)
  if (value instanceof Float) return value.toString()
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return Array.isArray(value) ? writeList(value, margin) : writeTable(value, margin)
}

/** Texts that JSON needs no escapes for. */
const PLAIN = /^[ !#-[\]-~]*$/

function quote(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text)
}

function writeList(list: readonly unknown[], margin: string): string {
  if (list.length === 0) return '[]'
  const inner = marginWithin(margin)
  return `[${inner}${list.map((item) => write(item, inner)).join(`,${inner}`)}${margin}]`
}

function writeTable(table: object, margin: string): string {
  const inner = marginWithin(margin)
  const members: string[] = []
  for (const key of keysOf(table)) {
    const value = memberOf(table, key)
    if (value !== undefined) members.push(`${quote(key)}: ${write(value, inner)}`)
  }
  return members.length === 0 ? '{}' : `{${inner}${members.join(`,${inner}`)}${margin}}`
}

/** Keys in order of their UTF-16 units. */
function keysOf(table: object): readonly string[] {
  const keys = table instanceof Map ? [...(table as ReadonlyMap<string, unknown>).keys()] : Object.keys(table)
  return keys.sort()
}

function memberOf(table: object, key: string): unknown {
  if (table instanceof Map) return (table as ReadonlyMap<string, unknown>).get(key)
  return (table as Readonly<Record<string, unknown>>)[key]
}
