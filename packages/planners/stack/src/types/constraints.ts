import { RE2JS, RE2JSException } from 're2js'
import type { Constraint } from '../mufile/body.ts'
import { keyOfValue, type StackValue } from '../values/stack-value.ts'

/** The kind of value that a constraint is about; any for `enum`. */
export const NEEDS: Readonly<Record<Constraint['kind'], string | undefined>> = {
  pattern: 'string',
  maxLength: 'string',
  minLength: 'string',
  maximum: 'number',
  minimum: 'number',
  enum: undefined,
}

export interface Patterns {
  /** Patterns that were compiled, by their texts; undefined stands for texts that are not patterns. */
  readonly compiled: Map<string, RE2JS | undefined>
  /** What comparisons may still take: the sizes of patterns times the lengths of texts. */
  left: number
}

export function noPatterns(): Patterns {
  return { compiled: new Map(), left: MAX_WORK }
}

const MAX_WORK = 1_000_000_000
/** Characters of a pattern, and instructions that it is compiled to: each character of a text costs that many steps at worst. */
const MAX_PATTERN = 1_000
const MAX_SIZE = 2_000
/** Characters of a text that is compared with a pattern; no longer one matches. */
const MAX_TEXT = 10_000

/** Compiles a pattern, whose cost is linear in the text whatever it is; undefined if it is none, or too large. */
export function patternOf(text: string, { compiled }: Patterns): RE2JS | undefined {
  if (compiled.has(text)) return compiled.get(text)
  const pattern = text.length > MAX_PATTERN ? undefined : compile(text)
  compiled.set(text, pattern)
  return pattern
}

function compile(text: string): RE2JS | undefined {
  try {
    const pattern = RE2JS.compile(text)
    return pattern.programSize() > MAX_SIZE ? undefined : pattern
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
    return { isMet: keysOf(wanted as readonly StackValue[]).has(keyOfValue(value)), got: value }
  }
  const got = kind === 'maxLength' || kind === 'minLength' ? lengthOf(value as string) : value
  if (kind === 'pattern') return { isMet: matches(wanted as string, got as string, patterns), got }
  return { isMet: MEETS[kind](wanted as number, got as number), got }
}

/** Keys of lists of values; many values may be compared with each list. */
const KEYS = new WeakMap<readonly StackValue[], ReadonlySet<string>>()

function keysOf(values: readonly StackValue[]): ReadonlySet<string> {
  const keys = KEYS.get(values) ?? new Set(values.map(keyOfValue))
  KEYS.set(values, keys)
  return keys
}

function matches(wanted: string, text: string, patterns: Patterns): boolean {
  const pattern = patternOf(wanted, patterns)
  if (pattern === undefined) return true
  patterns.left -= pattern.programSize() * text.length
  return text.length <= MAX_TEXT && patterns.left >= 0 && pattern.matches(text)
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
