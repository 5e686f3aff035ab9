import { type Budget, checkLength, spendCharacters, spendReading, spendSteps } from '../budget.ts'
import { printed } from '../format/print-value.ts'
import { plain, type Run, type Value } from '../run.ts'
import { ActionFailure } from '../template-error.ts'
import type { TemplateValue } from '../template-file.ts'
import { describe, isList, isMap } from '../values.ts'
import { offsetsOf, partsBetween } from './search.ts'
import { any, chooses, count, list, spendElements, takes, takesAll, text } from './definition.ts'

function lengthOf(value: TemplateValue): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (isList(value)) return value.length
  if (isMap(value)) return value.size
  throw new ActionFailure(`${describe(value)} has no length`)
}

/** Looks up one index after the other; a key that a map lacks gives nil, as in Go. */
function at([of = null, ...indexes]: readonly Value[], { budget }: Run): Value {
  return indexes.map(plain).reduce((value, index) => elementOf(value, index, budget), plain(of))
}

function elementOf(value: TemplateValue, index: TemplateValue, budget: Budget): TemplateValue {
  if (isMap(value)) return value.get(text(index)) ?? null
  if (!isList(value) && typeof value !== 'string') throw new ActionFailure(`${describe(value)} has no elements`)
  const element = isList(value) ? value[count(index)] : byteAt(value, count(index), budget)
  if (element !== undefined) return element
  throw new ActionFailure(`there is no element ${count(index)}: it has ${lengthOf(value)}, counted from 0`)
}

/** Returns a byte of a text in UTF-8, without the bytes behind it. */
function byteAt(value: string, index: number, budget: Budget): number | undefined {
  if (index < 0) return undefined
  spendCharacters(budget, Math.min(index, value.length))
  // Every unit gives a byte at least, and half of a pair must not stand alone at the end.
  return Buffer.from(value.slice(0, index + 2))[index]
}

interface Range {
  readonly from: number
  readonly to: number
  readonly by: number
}

function range(run: Run, { from, to, by }: Range): readonly number[] {
  const length = by === 0 ? 0 : Math.max(0, Math.ceil((to - from) / by))
  spendElements(run, length)
  return Array.from({ length }, (_, index) => from + index * by)
}

function joined(separator: string, values: readonly TemplateValue[], { budget }: Run): string {
  spendSteps(budget, values.length >>> 4)
  const parts = values.map((value) => (typeof value === 'string' ? value : printed(value, budget)))
  const length = parts.reduce((sum, part) => sum + part.length + separator.length, 0)
  checkLength(length)
  spendReading(budget, length)
  return parts.join(separator)
}

/** Parts under `_0`, `_1`, …; an empty separator splits into characters. */
function split(separator: string, value: string, run: Run): ReadonlyMap<string, string> {
  const offsets = separator === '' ? [] : offsetsOf(separator, value, run.budget)
  spendElements(run, separator === '' ? value.length : offsets.length + 1)
  const parts = separator === '' ? Array.from(value) : partsBetween(value, offsets, separator.length)
  spendCharacters(run.budget, parts.length)
  return new Map(parts.map((part, index) => [`_${index}`, part]))
}

export const lists = {
  len: takes([any], ([value]) => lengthOf(value)),
  index: chooses({ least: 1, most: Infinity }, at),
  tuple: takesAll(any, 0, (values, run) => {
    spendElements(run, values.length)
    return values
  }),
  until: takes([count], ([to], run) => range(run, { from: 0, to, by: to < 0 ? -1 : 1 })),
  untilStep: takes([count, count, count], ([from, to, by], run) => range(run, { from, to, by })),
  join: takes([text, list], ([separator, values], run) => joined(separator, values, run)),
  split: takes([text, text], ([separator, value], run) => split(separator, value, run)),
}
