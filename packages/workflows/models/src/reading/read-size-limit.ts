import { parseBytes } from '@davit/diagnostics'
import { described, numberIn, type Part, refuse } from './part.ts'

/** Reads a number of bytes, or a text with a unit. */
export function readSizeLimit(part: Part): number | undefined {
  const value = numberIn(part) ?? part.value
  const bytes = typeof value === 'number' || typeof value === 'string' ? parseBytes(String(value)) : undefined
  const found = typeof value === 'string' ? `'${value}'` : described(part.value)
  return bytes ?? refuse(part, `expected a number of bytes, or a text such as '20 GB', but got ${found}`)
}
