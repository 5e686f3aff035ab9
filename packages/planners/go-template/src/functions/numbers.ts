import { ActionFailure } from '../template-error.ts'
import type { TemplateValue } from '../template-file.ts'
import { takes, takesAll, type Parameter } from './definition.ts'

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** Reads a value as a number: text that is none, nil, lists and maps are 0, and true is 1. */
const float: Parameter<number> = (value: TemplateValue) => {
  if (typeof value === 'number') return value
  if (typeof value === 'string') return NUMBER.test(value) ? finite(Number(value)) : 0
  return value === true ? 1 : 0
}

/** Reads a value as a whole number; a fraction is cut off. */
const whole: Parameter<number> = (value) => Math.trunc(float(value)) + 0

function finite(value: number): number {
  if (Number.isFinite(value)) return value + 0
  throw new ActionFailure('the number is too large')
}

function divisor(value: number): number {
  if (value === 0) throw new ActionFailure('division by zero')
  return value
}

const integer = takes([whole], ([value]) => value)
const most = takesAll(whole, 1, (values) => values.reduce((left, right) => Math.max(left, right)))

export const numbers = {
  add: takesAll(whole, 0, (values) => finite(values.reduce((sum, value) => sum + value, 0))),
  add1: takes([whole], ([value]) => finite(value + 1)),
  sub: takes([whole, whole], ([left, right]) => finite(left - right)),
  mul: takesAll(whole, 1, (values) => finite(values.reduce((product, value) => product * value, 1))),
  div: takes([whole, whole], ([left, right]) => Math.trunc(left / divisor(right)) + 0),
  mod: takes([whole, whole], ([left, right]) => (left % divisor(right)) + 0),
  max: most,
  biggest: most,
  min: takesAll(whole, 1, (values) => values.reduce((left, right) => Math.min(left, right))),
  int: integer,
  int64: integer,
  float64: takes([float], ([value]) => value),
  atoi: integer,
}
