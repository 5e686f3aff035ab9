import { readJsonTree } from './read-json-tree.ts'
import { plainOf } from '../text/plain-of.ts'
import { MAX_DOCUMENT_DEPTH } from '../text/limits.ts'
import type { SourceText } from '../text/located.ts'
import type { Reading } from '../text/reading.ts'

/** Strict JSON as objects and arrays, at the speed of JSON.parse unless something needs a second look. */
export function readJson(source: SourceText): Reading {
  const fast = parseFast(source.text)
  if (fast !== undefined)
    return { content: fast, diagnostics: [], locate: () => readJsonTree(source, MAX_DOCUMENT_DEPTH).placeOf }
  const { content, problems, placeOf } = readJsonTree(source, MAX_DOCUMENT_DEPTH)
  return {
    ...(content === undefined ? {} : { content: { data: plainOf(content.data) } }),
    diagnostics: problems.filter(({ severity }) => severity === 'error'),
    locate: () => placeOf,
  }
}

/** A number that may be whole in value though it is not in text: `1.0`, `1e3`, `0.99999999999999999`. */
const WHOLE_FLOAT = /(?:^|[\s:,[])-?\d+(?:\.(?:0+|\d{12,})|(?:\.\d+)?[eE][+-]?\d+)(?=[\s,}\]]|$)/

function parseFast(text: string): { readonly data: unknown } | undefined {
  try {
    const data: unknown = JSON.parse(text)
    return WHOLE_FLOAT.test(text) || !isExact(data, 0) ? undefined : { data }
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined
    throw error
  }
}

function isExact(data: unknown, depth: number): boolean {
  if (typeof data === 'number') return Number.isInteger(data) ? Number.isSafeInteger(data) : Number.isFinite(data)
  if (typeof data !== 'object' || data === null) return true
  return depth < MAX_DOCUMENT_DEPTH && Object.values(data).every((value) => isExact(value, depth + 1))
}
