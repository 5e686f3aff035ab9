import { Float } from '@davit/documents'

/** Stands for a value that was not evaluated. */
export const UNREAD = Symbol('unread')

/** Data that our programs in the Nix language encoded: tables are Maps, and numbers are exact. */
export function decodeData(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(decodeData)
  if (typeof json !== 'object' || json === null) return json
  const entries = Object.entries(json)
  const [only, ...others] = entries
  const decode = only === undefined || others.length > 0 ? undefined : TAGS.get(only[0])
  return decode === undefined ? tableOf(entries) : decode(only?.[1])
}

const TAGS: ReadonlyMap<string, (content: unknown) => unknown> = new Map<string, (content: unknown) => unknown>([
  ['$float', (content: unknown) => floatOf(content as FloatContent)],
  ['$integer', (content: unknown) => BigInt(content as string)],
  ['$table', (content: unknown) => tableOf(content as readonly [string, unknown][])],
  ['$unread', () => UNREAD],
])

function tableOf(entries: readonly (readonly [string, unknown])[]): ReadonlyMap<string, unknown> {
  return new Map(entries.map(([name, value]) => [name, decodeData(value)]))
}

type FloatContent = readonly [mantissa: number, exponent: number] | 'nan' | 'infinity' | '-infinity'

function floatOf(content: FloatContent): number | Float {
  if (content === 'nan') return Number.NaN
  if (content === 'infinity') return Number.POSITIVE_INFINITY
  if (content === '-infinity') return Number.NEGATIVE_INFINITY
  const [mantissa, exponent] = content
  const value = mantissa * 2 ** exponent
  return Number.isInteger(value) ? new Float(value) : value
}
