/**
 * Data whose shape only the author of a model knows, such as the properties of a target: text, numbers, booleans, lists
 * and tables. Its type is `any`, so that models can read it without casts.
 */
// oxlint-disable-next-line typescript/no-explicit-any
export type Data = any

/** A table of free-form data. */
export interface Attributes {
  readonly [name: string]: Data
}

const FLOAT = Symbol.for('davit.float')

/** A whole number that stays a floating-point number in documents; made by `float`. */
export interface Float {
  readonly [FLOAT]: number
  valueOf(): number
  toString(): string
}

/** Marks a number as floating-point: `float(1)` is written as `1.0` in documents, where `1` is an integer. */
export function float(value: number): Float {
  return {
    [FLOAT]: value,
    valueOf: () => value,
    toString: () => (Number.isInteger(value) ? value.toFixed(1) : String(value)),
  }
}
