/**
 * Data of the author's own making, such as the properties of a target: text, numbers, booleans, lists and tables.
 * Only its author knows its shape, so that reading it needs no casts in models.
 */
// oxlint-disable-next-line typescript/no-explicit-any
export type Data = any

/** A table of such data. */
export interface Attributes {
  readonly [name: string]: Data
}

const FLOAT = Symbol.for('davit.float')

/** A number that stays a floating-point number in documents although it is whole; made by `float`. */
export interface Float {
  readonly [FLOAT]: number
  valueOf(): number
  toString(): string
}

/** `float(1)` is written as `1.0` in documents, where `1` is an integer. */
export function float(value: number): Float {
  return {
    [FLOAT]: value,
    valueOf: () => value,
    toString: () => (Number.isInteger(value) ? value.toFixed(1) : String(value)),
  }
}
