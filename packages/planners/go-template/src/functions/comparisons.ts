import { ActionFailure } from '../template-error.ts'
import type { TemplateValue } from '../template-file.ts'
import { compareAsGo, describe, isList, isMap } from '../values.ts'
import { any, takes, takesAll, type TemplateFunction } from './definition.ts'

/** Compares for equality. Nil equals nil alone. */
function areEqual(left: TemplateValue, right: TemplateValue): boolean {
  for (const value of [left, right]) {
    if (isList(value) || isMap(value)) throw new ActionFailure(`${describe(value)} cannot be compared`)
  }
  if (left !== null && right !== null && typeof left !== typeof right) incomparable(left, right)
  return left === right
}

function incomparable(left: TemplateValue, right: TemplateValue): never {
  const hint = "'int' reads a text as a number, 'print' makes text of any value"
  throw new ActionFailure(`${describe(left)} and ${describe(right)} cannot be compared`, hint)
}

/** A negative number if the left value is less. Only texts and numbers have an order. */
function order(left: TemplateValue, right: TemplateValue): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  if (typeof left === 'string' && typeof right === 'string') return compareAsGo(left, right)
  for (const value of [left, right]) {
    if (typeof value !== 'string' && typeof value !== 'number')
      throw new ActionFailure(`${describe(value)} has no order`)
  }
  return incomparable(left, right)
}

function ordered(holds: (difference: number) => boolean): TemplateFunction {
  return takes([any, any], ([left, right]) => holds(order(left, right)))
}

export const comparisons = {
  eq: takesAll(any, 2, ([first = null, ...others]) => others.some((other) => areEqual(first, other))),
  ne: takes([any, any], ([left, right]) => !areEqual(left, right)),
  lt: ordered((difference) => difference < 0),
  le: ordered((difference) => difference <= 0),
  gt: ordered((difference) => difference > 0),
  ge: ordered((difference) => difference >= 0),
}
