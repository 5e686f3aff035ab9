import { readJsonTree } from './read-json-tree.ts'
import { plainOf } from '../text/plain-of.ts'
import { MAX_DOCUMENT_DEPTH } from '../text/limits.ts'
import type { SourceText } from '../text/located.ts'
import type { PlaceOf, Reading } from '../text/reading.ts'
import type { Tree } from '../text/tree.ts'

/** Reads strict JSON into objects and arrays, at the speed of JSON.parse unless something needs a second look. */
export function readJson(source: SourceText): Reading {
  const fast = parseFast(source.text)
  if (fast !== undefined)
    return { content: fast, diagnostics: [], locate: () => placesIn(readJsonTree(source, MAX_DOCUMENT_DEPTH)) }
  const tree = readJsonTree(source, MAX_DOCUMENT_DEPTH)
  const { content, problems } = tree
  return {
    ...(content === undefined ? {} : { content: { data: plainOf(content.data) } }),
    diagnostics: problems,
    locate: () => placesIn(tree),
  }
}

function placesIn({ placeOf, placeOfKey }: Tree): PlaceOf {
  return (path, part) => (part === 'key' ? placeOfKey(path) : placeOf(path))
}

/** A key: a string whose closing quote is followed by a colon. Inside a string, a quote has an odd number of backslashes. */
const KEY = /(?<!\\)(?:\\\\)*"\s*:/g

/** A number whose value may be whole although its text is not: `1.0`, `1e3`, `0.99999999999999999`. */
const WHOLE_FLOAT = /(?<![^\s:,[])-?\d+(?:\.(?:0+|\d{12,})|(?:\.\d+)?[eE][+-]?\d+)(?=[\s,}\]]|$)/

/** Returns undefined when the text needs a second look: errors, numbers that are not exact, keys that occur twice. */
function parseFast(text: string): { readonly data: unknown } | undefined {
  try {
    const data: unknown = JSON.parse(text)
    if (isWhole(data, text)) return { data }
    if (WHOLE_FLOAT.test(text)) return undefined
    return countKeys(data, 0) === countMatches(text, KEY) ? { data } : undefined
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined
    throw error
  }
}

/** A number that may be too long to be exact, or has an exponent for that reason. */
const LONG_NUMBER = /[\s:,[]-?\d(?:\d{15}|(?:\.\d+)?e\+)/

/**
 * Tells whether data contain all that the text says, since they make the same text: then no key occurs twice, and all numbers are
 * written as JavaScript does. Whatever the order of keys, documents are written like that.
 */
function isWhole(data: unknown, text: string): boolean {
  return `${JSON.stringify(data, undefined, 2)}\n` === text && !LONG_NUMBER.test(text) && !isDeep(text)
}

/** Whether lines are indented so much that something in them may be nested too deeply. */
function isDeep(text: string): boolean {
  return text.includes(`\n${'  '.repeat(MAX_DOCUMENT_DEPTH)}`)
}

/** Counts keys; NaN when a number is not exact or the nesting is too deep. */
function countKeys(data: unknown, depth: number): number {
  if (typeof data === 'number') return isExact(data) ? 0 : Number.NaN
  if (typeof data !== 'object' || data === null) return 0
  return depth === MAX_DOCUMENT_DEPTH ? Number.NaN : countKeysWithin(data, depth + 1)
}

/** Lists of values or members would take twice as long. */
function countKeysWithin(data: object, depth: number): number {
  let keys = 0
  if (Array.isArray(data)) for (const item of data) keys += countKeys(item, depth)
  else for (const key in data) keys += 1 + countKeys((data as Readonly<Record<string, unknown>>)[key], depth)
  return keys
}

function isExact(number: number): boolean {
  return Number.isInteger(number) ? Number.isSafeInteger(number) : Number.isFinite(number)
}

function countMatches(text: string, expression: RegExp): number {
  let count = 0
  expression.lastIndex = 0
  while (expression.test(text)) count += 1
  return count
}
