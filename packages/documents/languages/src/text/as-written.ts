import { Float } from '../float.ts'
import type { LocatedNode } from './located.ts'
import { parseNumber } from './parse-number.ts'
import type { Branch } from './tree.ts'

/**
 * Makes the value of a number, truth value or null. A number that would not be written the same again (`1.10`, `0123`, `0x1F`, one that
 * is not exact) becomes the text as it is written, since text may be meant.
 */
export function asWritten(value: null | boolean | number, written: string, node: LocatedNode): Branch {
  if (typeof value !== 'number') return { data: value, node: String(value) === written ? node : { ...node, written } }
  const number = parseNumber(written)
  const isExact = typeof number === 'number' || number instanceof Float
  if (isExact && String(number) === written) return { data: number, node }
  return { data: written, node: { ...node, written } }
}
