import { Float } from '../float.ts'
import { describe, shortened } from './describe.ts'

const WHOLE = /^[+-]?\d+$/
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** Parses a decimal number: whole numbers stay exact, and `1.0` becomes a `Float`. */
export function parseNumber(text: string): number | Float | { readonly problem: string } {
  const value = Number(text)
  if (!DECIMAL.test(text)) return { problem: `expected a number, but got ${describe(text)}` }
  if (WHOLE.test(text)) {
    return Number.isSafeInteger(value)
      ? value + 0
      : {
          problem: `${shortened(text)} is out of range: whole numbers beyond ±${Number.MAX_SAFE_INTEGER} are not exact`,
        }
  }
  if (!Number.isFinite(value)) return { problem: `${shortened(text)} is out of range` }
  return Number.isInteger(value) ? new Float(value) : value
}
