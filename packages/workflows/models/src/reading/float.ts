import { Float } from '@davit/languages'

/** Marks numbers that were made by `float` of the package davit. */
const FLOAT = Symbol.for('davit.float')

/** Returns the number in a value that is marked as floating-point. */
export function floatIn(value: unknown): number | undefined {
  if (value instanceof Float) return value.value
  if (typeof value !== 'object' || value === null) return undefined
  const marked = (value as { readonly [FLOAT]?: unknown })[FLOAT]
  return typeof marked === 'number' ? marked : undefined
}

export function textOfFloat(value: number): string {
  return new Float(value).toString()
}
