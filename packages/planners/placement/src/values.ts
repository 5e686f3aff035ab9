import type { PropertyValue } from '@davit/documents'
import { Float, parseNumber } from '@davit/languages'

/** A number that is more than zero, in whatever way it was written; undefined for anything else. */
export function numberIn(value: PropertyValue | undefined): number | undefined {
  const number = value instanceof Float ? value.value : typeof value === 'string' ? numberOf(value) : value
  return typeof number === 'number' && number > 0 ? number : undefined
}

/** Number of a text such as `1e3`, which models in YAML and JSON keep as it is written. */
function numberOf(text: string): number | undefined {
  const number = parseNumber(text)
  return number instanceof Float ? number.value : typeof number === 'number' ? number : undefined
}

/** A text, or the texts of a list. */
export function textsIn(value: PropertyValue | undefined): readonly string[] {
  const items: readonly PropertyValue[] = Array.isArray(value) ? (value as readonly PropertyValue[]) : [value ?? []]
  return items.filter((item) => typeof item === 'string')
}
