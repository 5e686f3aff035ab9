import { quoted } from '@davit/diagnostics'
import { spendReading, spendSteps } from './budget.ts'
import { FUNCTIONS, STOPS_AT } from './functions/functions.ts'
import { type Frame, plain, step, type Value, within } from './run.ts'
import type { Command, Operand, Pipe } from './syntax/nodes.ts'
import { ActionFailure, MissingField } from './template-error.ts'
import { describe, isMap, isTrue } from './values.ts'

/** Evaluates a pipe, and declares its variables. */
export function evaluatePipe(frame: Frame, pipe: Pipe): Value {
  let value: Value | undefined
  for (const command of pipe.commands) value = evaluateCommand(frame, command, value)
  if (value === undefined) throw new Error('a pipe without commands')
  for (const name of pipe.declares) frame.variables.push({ name, value })
  return value
}

/** Evaluates a command; `last` is the value before its `|`, the last argument. */
function evaluateCommand(frame: Frame, command: Command, last: Value | undefined): Value {
  const [first, ...given] = command
  if (first.kind === 'function') return callFunction(frame, first, { given, last })
  step(frame, first.at)
  if (given.length > 0 || last !== undefined) {
    throw new ActionFailure(
      'only functions take arguments, and this is a value',
      'a function begins its command or parentheses',
    )
  }
  if (first.kind === 'nil') throw new ActionFailure('nil alone prints nothing')
  return evaluateOperand(frame, first)
}

function evaluateOperand(frame: Frame, operand: Operand): Value {
  switch (operand.kind) {
    case 'dot':
      return frame.dot
    case 'nil':
      return null
    case 'constant':
      return operand.value
    case 'variable':
      return variableOf(frame, operand)
    case 'field':
      return fieldsOf(frame, operand)
    case 'function':
      return callFunction(frame, operand, { given: [], last: undefined })
    case 'pipe':
      return within(frame, () => evaluatePipe(frame, operand))
  }
}

function variableOf(frame: Frame, { name, at }: { readonly name: string; readonly at: number }): Value {
  const { variables, run } = frame
  const index = variables.findLastIndex((variable) => variable.name === name)
  spendSteps(run.budget, (variables.length - index) >>> VARIABLES_PER_STEP)
  const found = variables[index]
  if (found !== undefined) return found.value
  step(frame, at)
  throw new ActionFailure(`variable ${quoted(name)} has no value yet`)
}

/** Eight variables are passed over in a step. */
const VARIABLES_PER_STEP = 3

function fieldsOf(frame: Frame, { of, fields }: Operand & { readonly kind: 'field' }): Value {
  let value = evaluateOperand(frame, of)
  for (const [index, { at, name }] of fields.entries()) {
    step(frame, at)
    const found = fieldOf(value, name)
    if (found === undefined)
      throw missing(value, name, of.kind === 'dot' && index === 0 ? outerHint(frame, name) : undefined)
    value = found
  }
  return value
}

function fieldOf(of: Value, name: string): Value | undefined {
  const map = plain(of)
  return isMap(map) ? map.get(name) : undefined
}

function missing(of: Value, name: string, hint: string | undefined): ActionFailure {
  const map = plain(of)
  return isMap(map)
    ? new MissingField(map, name, hint)
    : new ActionFailure(`${describe(map)} has no field ${quoted(name)}`, hint)
}

/** Says where a field is that `.` does not have, within `range` and `with`. */
function outerHint({ variables }: Frame, name: string): string | undefined {
  const root = variables.find((variable) => variable.name === '$')?.value
  const isThere = root !== undefined && fieldOf(root, name) !== undefined
  return isThere ? `did you mean '$.${name}'? '.' is another value here` : undefined
}

interface Arguments {
  readonly given: readonly Operand[]
  /** The value before the `|`. */
  readonly last: Value | undefined
}

function callFunction(
  frame: Frame,
  { name, at }: { readonly name: string; readonly at: number },
  { given, last }: Arguments,
): Value {
  const called = FUNCTIONS.get(name)
  if (called === undefined) throw new Error(`unknown function '${name}'`)
  step(frame, at, name)
  const count = given.length + (last === undefined ? 0 : 1)
  if (count < called.least || count > called.most) throw new ActionFailure(expectedArguments(called, count))
  const stopsAt = STOPS_AT.get(name)
  if (stopsAt !== undefined) return firstThatIs(frame, stopsAt, { given, last })
  const values = given.map((operand) => evaluateOperand(frame, operand))
  if (last !== undefined) values.push(last)
  step(frame, at, name)
  for (const value of values) spendReading(frame.run.budget, lengthOf(value))
  return called.call(values, frame)
}

function lengthOf(value: Value): number {
  const text = plain(value)
  return typeof text === 'string' ? text.length : 0
}

function expectedArguments({ least, most }: { least: number; most: number }, count: number): string {
  const range = most === least ? `${least}` : most === Infinity ? `at least ${least}` : `${least} to ${most}`
  return `expected ${range} ${range === '1' || range === 'at least 1' ? 'argument' : 'arguments'}, not ${count}`
}

/** Evaluates `and` and `or`: arguments after the one that decides are not looked at. */
function firstThatIs(frame: Frame, wanted: boolean, { given, last }: Arguments): Value {
  let value: Value = null
  for (const operand of given) {
    value = evaluateOperand(frame, operand)
    if (isTrue(plain(value)) === wanted) return value
  }
  return last === undefined ? value : last
}
