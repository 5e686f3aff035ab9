import { type Budget, spendSteps } from './budget.ts'
import type { TemplateValue } from './template-file.ts'

export type Kind = 'string' | 'float64' | 'bool' | 'slice' | 'map' | 'nil'

/** The kind of a value, as Go names it. */
export function kindOf(value: TemplateValue): Kind {
  if (value === null) return 'nil'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'number') return 'float64'
  if (typeof value === 'boolean') return 'bool'
  return isList(value) ? 'slice' : 'map'
}

const NAMES: Readonly<Record<Kind, string>> = {
  string: 'a text',
  float64: 'a number',
  bool: 'a truth value',
  slice: 'a list',
  map: 'a map',
  nil: 'nil',
}

/** Names the kind of a value for a message: `a text`. */
export function describe(value: TemplateValue): string {
  return NAMES[kindOf(value)]
}

const TYPES: Readonly<Record<Kind, string>> = {
  string: 'string',
  float64: 'float64',
  bool: 'bool',
  slice: '[]interface {}',
  map: 'map[string]interface {}',
  nil: '<nil>',
}

/** The type of a value, as `%T` of Go prints it. */
export function typeName(value: TemplateValue): string {
  return TYPES[kindOf(value)]
}

export function isList(value: TemplateValue): value is readonly TemplateValue[] {
  return Array.isArray(value)
}

export function isMap(value: TemplateValue): value is ReadonlyMap<string, TemplateValue> {
  return value instanceof Map
}

/** Empty texts, lists and maps, zero, false and nil are false. */
export function isTrue(value: TemplateValue): boolean {
  if (value === null || typeof value !== 'object') return Boolean(value)
  return isList(value) ? value.length > 0 : value.size > 0
}

/** Compares as Go does: by bytes of UTF-8, which is the order of code points. */
export function compareAsGo(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  let at = 0
  while (at < length && left.charCodeAt(at) === right.charCodeAt(at)) at += 1
  if (at === length) return left.length - right.length
  return rank(left.charCodeAt(at)) - rank(right.charCodeAt(at))
}

/** Halves of surrogate pairs stand for code points above all others. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

/** Entries of a map in the order of their keys. Each key is compared with some others. */
export function entriesOf(
  map: ReadonlyMap<string, TemplateValue>,
  budget: Budget,
): (readonly [string, TemplateValue])[] {
  const comparisons = Math.ceil(Math.log2(map.size + 1))
  for (const key of map.keys()) spendSteps(budget, comparisons * (1 + (key.length >>> 6)))
  return [...map].sort(([left], [right]) => compareAsGo(left, right))
}

/** Numbers without exponent up to 10²¹, as short as they can be read back. */
export function numberText(value: number): string {
  const text = String(value)
  const [, sign = '', first = '', others = '', exponent = ''] = /^(-?)(\d)(?:\.(\d+))?e-(\d+)$/.exec(text) ?? []
  return exponent === '' ? text : `${sign}0.${'0'.repeat(Number(exponent) - 1)}${first}${others}`
}
