import { DavitError, ExitStatus } from '@davit/diagnostics'
import { Float } from '@davit/languages'
import { UNREAD } from '../../reading/unread.ts'

/** Decodes data from davit's programs in the Nix language: tables become Maps, and numbers are exact. */
export function decodeData(json: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw tooDeep()
  if (Array.isArray(json)) return json.map((item: unknown) => decodeData(item, depth + 1))
  return typeof json === 'object' && json !== null ? decodeObject(json, depth) : json
}

function decodeObject(json: object, depth: number): unknown {
  const entries = Object.entries(json)
  const [only, ...others] = entries
  const decode = only === undefined || others.length > 0 ? undefined : TAGS.get(only[0])
  return decode === undefined ? tableOf(entries, depth) : decode(only?.[1], depth)
}

/** Far beyond the limit of the readers, which report the place. */
const MAX_DEPTH = 1_000

function tooDeep(): DavitError {
  return new DavitError('invalid-model', 'a value of the models in the Nix language is nested too deeply', {
    exitStatus: ExitStatus.badDocument,
    hint: 'values of services and targets may be nested at most 200 levels deep',
  })
}

type Decode = (content: unknown, depth: number) => unknown

const TAGS: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['$float', (content) => floatOf(content as FloatContent)],
  ['$integer', (content) => BigInt(content as string)],
  ['$table', (content, depth) => tableOf(content as readonly [string, unknown][], depth)],
  ['$unread', () => UNREAD],
])

function tableOf(entries: readonly (readonly [string, unknown])[], depth: number): ReadonlyMap<string, unknown> {
  return new Map(entries.map(([name, value]) => [name, decodeData(value, depth + 1)]))
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
