import { Float } from '../float.ts'
import { describe, shortened } from './describe.ts'

const WHOLE = /^[+-]?\d+$/
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

/** A decimal number as text: whole ones keep their value exactly, fractions that are whole in value stay fractions. */
export function parseNumber(text: string): number | Float | { readonly problem: string } {
  const value = Number(text)
  if (!DECIMAL.test(text)) return { problem: `expected a number, but this is ${describe(text)}` }
  if (WHOLE.test(text)) {
    return Number.isSafeInteger(value)
      ? value + 0
      : { problem: `${shortened(text)} is beyond ±${Number.MAX_SAFE_INTEGER}, where whole numbers are not exact` }
  }
  if (!Number.isFinite(value)) return { problem: `${shortened(text)} is too large for a number` }
  return Number.isInteger(value) ? new Float(value) : value
}
