import { Float } from '../float.ts'

/** Writes deterministic JSON: keys in order, indented by two spaces; Maps and objects both become objects. */
export function writeJson(value: unknown): string {
  const parts: string[] = []
  write(value, '\n', parts)
  return parts.join('')
}

/** Adds the parts of a value; `margin` is a line break and the indentation of the line on which the value begins. */
function write(value: unknown, margin: string, parts: string[]): void {
  if (value instanceof Float) parts.push(value.toString())
  else if (typeof value !== 'object' || value === null) parts.push(JSON.stringify(value))
  else if (Array.isArray(value)) writeList(value, margin, parts)
  else writeTable(value, margin, parts)
}

function writeList(list: readonly unknown[], margin: string, parts: string[]): void {
  const inner = `${margin}  `
  let separator = '['
  for (const item of list) {
    parts.push(separator, inner)
    write(item, inner, parts)
    separator = ','
  }
  parts.push(list.length === 0 ? '[]' : `${margin}]`)
}

function writeTable(table: object, margin: string, parts: string[]): void {
  const inner = `${margin}  `
  const valueOf = lookUpIn(table)
  let separator = '{'
  for (const key of keysOf(table)) {
    const value = valueOf(key)
    if (value === undefined) continue
    parts.push(separator, inner, JSON.stringify(key), ': ')
    write(value, inner, parts)
    separator = ','
  }
  parts.push(separator === '{' ? '{}' : `${margin}}`)
}

/** Keys in order of their UTF-16 units. */
function keysOf(table: object): readonly string[] {
  const keys = table instanceof Map ? [...(table as ReadonlyMap<string, unknown>).keys()] : Object.keys(table)
  return keys.sort()
}

function lookUpIn(table: object): (key: string) => unknown {
  if (table instanceof Map) return (key) => (table as ReadonlyMap<string, unknown>).get(key)
  return (key) => (table as Readonly<Record<string, unknown>>)[key]
}
