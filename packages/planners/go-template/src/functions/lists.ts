import { checkLength, spendSteps } from '../budget.ts'
import { printed } from '../format/print-value.ts'
import { plain, type Run, type Value } from '../run.ts'
import { ActionFailure } from '../template-error.ts'
import type { TemplateValue } from '../template-file.ts'
import { describe, isList, isMap } from '../values.ts'
import { any, chooses, count, list, spendElements, takes, takesAll, text } from './definition.ts'

function lengthOf(value: TemplateValue): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (isList(value)) return value.length
  if (isMap(value)) return value.size
  throw new ActionFailure(`${describe(value)} has no length`)
}

/** Looks up one index after the other; a key that a map lacks gives nil, as in Go. */
function at([of = null, ...indexes]: readonly Value[]): Value {
  return indexes.map(plain).reduce((value, index) => elementOf(value, index), plain(of))
}

function elementOf(value: TemplateValue, index: TemplateValue): TemplateValue {
  if (isMap(value)) return value.get(text(index)) ?? null
  if (!isList(value) && typeof value !== 'string') throw new ActionFailure(`${describe(value)} has no elements`)
  const element = isList(value) ? value[count(index)] : Buffer.from(value)[count(index)]
  if (element !== undefined) return element
  throw new ActionFailure(`there is no element ${count(index)}: it has ${lengthOf(value)}, counted from 0`)
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
  checkLength(parts.reduce((length, part) => length + part.length + separator.length, 0))
  return parts.join(separator)
}

/** Parts under `_0`, `_1`, …; an empty separator splits into characters. */
function split(separator: string, value: string, run: Run): ReadonlyMap<string, string> {
  spendElements(run, separator === '' ? value.length : value.split(separator, MAX_PARTS).length)
  const parts = separator === '' ? Array.from(value) : value.split(separator)
  return new Map(parts.map((part, index) => [`_${index}`, part]))
}

/** More parts than an expansion has room for. */
const MAX_PARTS = 5_000_000

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
