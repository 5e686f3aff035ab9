import { Float, floatIn } from '@davit/languages'
import { entriesOf } from '../../reading/part.ts'

/** Encodes a value of another language as input for a program in the Nix language; leaves out anything but data. */
export function encodeData(value: unknown): unknown {
  const float = floatIn(value)
  if (float !== undefined) return new Float(float)
  if (Array.isArray(value)) return value.map(encodeData).filter((item) => item !== undefined)
  const entries = entriesOf(value)
  if (entries !== undefined) return new Map([...entries].map(([name, member]) => [String(name), encodeData(member)]))
  return isScalar(value) ? value : undefined
}

function isScalar(value: unknown): boolean {
  if (typeof value === 'number')
    return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
  return typeof value === 'string' || typeof value === 'boolean'
}
