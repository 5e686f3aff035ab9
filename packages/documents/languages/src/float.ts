/** A whole number that was written with a fraction, such as `1.0`. Plain numbers would lose that. */
export class Float {
  readonly value: number

  /** Negative zero becomes zero. */
  constructor(value: number) {
    this.value = value + 0
  }

  toString(): string {
    return Number.isInteger(this.value) ? this.value.toFixed(1) : String(this.value)
  }
}

/** Marks numbers that were made by `float` of the package davit. */
const FLOAT = Symbol.for('davit.float')

/** Returns the number in a value that is marked as floating-point, in a text or by a program. */
export function floatIn(value: unknown): number | undefined {
  if (value instanceof Float) return value.value
  if (typeof value !== 'object' || value === null) return undefined
  const marked = (value as { readonly [FLOAT]?: unknown })[FLOAT]
  return typeof marked === 'number' ? marked : undefined
}

/** Returns a number that stays floating-point; a fraction needs no mark. */
export function floatOf(value: number): number | Float {
  return Number.isInteger(value) ? new Float(value) : value
}
