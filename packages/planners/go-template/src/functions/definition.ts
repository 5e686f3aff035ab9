import { PIECE, spendCharacters, spendText } from '../budget.ts'
import type { PlacedText } from '../placed-text.ts'
import { type Frame, plain, type Run, type Value } from '../run.ts'
import { ActionFailure } from '../template-error.ts'
import type { TemplateValue } from '../template-file.ts'
import { describe, isList, isMap } from '../values.ts'

/** A function of the template language. */
export interface TemplateFunction {
  readonly least: number
  readonly most: number
  call(values: readonly Value[], frame: Frame): Value
}

/** Reads an argument, or throws an `ActionFailure`. */
export type Parameter<Type> = (value: TemplateValue) => Type

export const any: Parameter<TemplateValue> = (value) => value

export const text: Parameter<string> = (value) => {
  if (typeof value === 'string') return value
  throw new ActionFailure(`expected a text, not ${describe(value)}`, "'print' makes text of any value")
}

/** A whole number where no text is taken for one. */
export const count: Parameter<number> = (value) => {
  if (typeof value === 'number' && Number.isInteger(value)) return value
  const hint = typeof value === 'string' ? "'int' reads a text as a number" : undefined
  throw new ActionFailure(`expected a whole number, not ${typeof value === 'number' ? value : describe(value)}`, hint)
}

export const boolean: Parameter<boolean> = (value) => {
  if (typeof value === 'boolean') return value
  throw new ActionFailure(`expected a truth value, not ${describe(value)}`, "'eq', 'not', 'has' and the like give one")
}

export const list: Parameter<readonly TemplateValue[]> = (value) => {
  if (isList(value)) return value
  throw new ActionFailure(`expected a list, not ${describe(value)}`)
}

export const map: Parameter<ReadonlyMap<string, TemplateValue>> = (value) => {
  if (isMap(value)) return value
  throw new ActionFailure(`expected a map, not ${describe(value)}`)
}

type Parameters<Types extends readonly unknown[]> = { readonly [Index in keyof Types]: Parameter<Types[Index]> }

/** A function with a fixed number of arguments. Text that it makes is accounted for. */
export function takes<Types extends readonly unknown[]>(
  parameters: Parameters<Types>,
  call: (values: Types, run: Run) => TemplateValue,
): TemplateFunction {
  return {
    least: parameters.length,
    most: parameters.length,
    call(values, { run }) {
      const read = parameters.map((parameter, index) => parameter(plain(values[index] ?? null)))
      return made(run, call(read as unknown as Types, run))
    },
  }
}

/** A function with any number of arguments of one kind, of which some must be there. */
export function takesAll<Type>(
  parameter: Parameter<Type>,
  least: number,
  call: (values: readonly Type[], run: Run) => TemplateValue,
): TemplateFunction {
  return {
    least,
    most: Infinity,
    call: (values, { run }) =>
      made(
        run,
        call(
          values.map((value) => parameter(plain(value))),
          run,
        ),
      ),
  }
}

/** A function on text that looks at each of its characters. */
export function readsCharacters(read: (text: string) => string): TemplateFunction {
  return takes([text], ([value], { budget }) => {
    spendCharacters(budget, value.length)
    return read(value)
  })
}

function made(run: Run, value: TemplateValue): TemplateValue {
  if (typeof value === 'string') spendText(run.budget, value.length)
  return value
}

/** Accounts for the elements of a list or map that a function makes. */
export function spendElements({ budget }: Run, elements: number): void {
  if (elements > MAX_ELEMENTS) throw new ActionFailure(`more than ${MAX_ELEMENTS} elements`)
  spendText(budget, elements * PIECE)
}

const MAX_ELEMENTS = 500_000

/** A function that gives one of its arguments, or a part of one. */
export function chooses(
  { least, most = least }: { readonly least: number; readonly most?: number },
  choose: (values: readonly Value[], run: Run) => Value,
): TemplateFunction {
  return { least, most, call: (values, { run }) => choose(values, run) }
}

/** A function on text that keeps its places. The text comes last. */
export function reshapes(
  parameters: readonly Parameter<number>[],
  reshape: (text: string | PlacedText, numbers: readonly number[], run: Run) => Value,
): TemplateFunction {
  return {
    least: parameters.length + 1,
    most: parameters.length + 1,
    call(values, { run }) {
      const numbers = parameters.map((parameter, index) => parameter(plain(values[index] ?? null)))
      const last = values[parameters.length] ?? null
      return reshape(typeof last === 'string' || isPlaced(last) ? last : text(last), numbers, run)
    },
  }
}

function isPlaced(value: Value): value is PlacedText {
  return value !== plain(value)
}
