import { Float } from '@davit/languages'

/** Encodes a value as JSON for Nix: numbers such as 1.0 stay floating-point numbers. */
export function inputText(value: unknown): string {
  if (value instanceof Float) return value.toString()
  if (Array.isArray(value)) return `[${value.map(inputText).join(',')}]`
  if (value instanceof Map) return tableText(value as ReadonlyMap<string, unknown>)
  if (typeof value === 'object' && value !== null) return tableText(Object.entries(value))
  return JSON.stringify(value) ?? 'null'
}

function tableText(entries: Iterable<readonly [string, unknown]>): string {
  const members = [...entries].filter(([, value]) => value !== undefined)
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${inputText(value)}`).join(',')}}`
}
