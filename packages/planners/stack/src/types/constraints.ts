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

const PATTERNS = new Map<string, RE2JS | undefined>()

/** Compiles a pattern, whose cost is linear in the text whatever it is; undefined if it is none. */
export function patternOf(text: string): RE2JS | undefined {
  if (PATTERNS.has(text)) return PATTERNS.get(text)
  const pattern = compile(text)
  PATTERNS.set(text, pattern)
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
export function compareWith({ kind, wanted }: Constraint, value: StackValue): Comparison {
  if (kind === 'enum') {
    return { isMet: (wanted as readonly StackValue[]).some((one) => isEqual(one, value)), got: value }
  }
  const got = kind === 'maxLength' || kind === 'minLength' ? lengthOf(value as string) : value
  return { isMet: MEETS[kind](wanted as never, got as never), got }
}

/** Counts code points. */
function lengthOf(text: string): number {
  return Array.from(text).length
}

const MEETS = {
  pattern: (wanted: string, got: string) => patternOf(wanted)?.matches(got) ?? true,
  maxLength: (wanted: number, got: number) => got <= wanted,
  minLength: (wanted: number, got: number) => got >= wanted,
  maximum: (wanted: number, got: number) => got <= wanted,
  minimum: (wanted: number, got: number) => got >= wanted,
}
