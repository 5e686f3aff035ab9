import { Float } from '@davit/languages'

/** The mark that `float` of the package davit leaves. */
const FLOAT = Symbol.for('davit.float')

/** The number that a value is if it is marked as a floating-point number. */
export function floatIn(value: unknown): number | undefined {
  if (value instanceof Float) return value.value
  if (typeof value !== 'object' || value === null) return undefined
  const marked = (value as { readonly [FLOAT]?: unknown })[FLOAT]
  return typeof marked === 'number' ? marked : undefined
}

export function textOfFloat(value: number): string {
  return new Float(value).toString()
}
