import { RE2JS, RE2JSException } from 're2js'
import type { Constraint } from '../mufile/body.ts'
import { isEqual, type StackValue } from '../values/stack-value.ts'

/** The kind of value that a constraint is about; any for `enum`. */
export const NEEDS: Readonly<Record<Constraint['kind'], string | undefined>> = {
  pattern: 'string',
  maxLength: 'string',
  minLength: 'string',
  maximum: 'number',
  minimum: 'number',
  enum: undefined,
}

/** Patterns that were compiled, by their texts; undefined ones are none. */
export type Patterns = Map<string, RE2JS | undefined>

/** Compiles a pattern, whose cost is linear in the text whatever it is; undefined if it is none. */
export function patternOf(text: string, patterns: Patterns): RE2JS | undefined {
  if (patterns.has(text)) return patterns.get(text)
  const pattern = compile(text)
  patterns.set(text, pattern)
  return pattern
}

function compile(text: string): RE2JS | undefined {
  try {
    return RE2JS.compile(text)
  } catch (error) {
    if (error instanceof RE2JSException) return undefined
    throw error
  }
}

/** What a constraint compares with, and what it compares. */
interface Comparison {
  readonly isMet: boolean
  readonly got: StackValue
}

/** Checks a value of the right kind. */
export function compareWith({ kind, wanted }: Constraint, value: StackValue, patterns: Patterns): Comparison {
  if (kind === 'enum') {
    return { isMet: (wanted as readonly StackValue[]).some((one) => isEqual(one, value)), got: value }
  }
  const got = kind === 'maxLength' || kind === 'minLength' ? lengthOf(value as string) : value
  if (kind === 'pattern') return { isMet: patternOf(wanted as string, patterns)?.matches(got as string) ?? true, got }
  return { isMet: MEETS[kind](wanted as number, got as number), got }
}

/** Counts code points. */
function lengthOf(text: string): number {
  return Array.from(text).length
}

const MEETS = {
  maxLength: (wanted: number, got: number) => got <= wanted,
  minLength: (wanted: number, got: number) => got >= wanted,
  maximum: (wanted: number, got: number) => got <= wanted,
  minimum: (wanted: number, got: number) => got >= wanted,
}
