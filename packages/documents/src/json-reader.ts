import { readJsonTree } from './json-tree.ts'
import { MAX_DEPTH } from './limits.ts'
import type { SourceText } from './located.ts'
import type { Reading } from './reading.ts'

/** Strict JSON as objects and arrays, at the speed of JSON.parse unless something needs a second look. */
export function readJson(source: SourceText): Reading {
  const fast = parseFast(source.text)
  if (fast !== undefined) return { content: fast, diagnostics: [], locate: () => readJsonTree(source).placeOf }
  const { content, problems, placeOf } = readJsonTree(source)
  return {
    ...(content === undefined ? {} : { content: { data: plainOf(content.data) } }),
    diagnostics: problems.filter(({ severity }) => severity === 'error'),
    locate: () => placeOf,
  }
}

/** Maps become objects; own properties even for names such as `__proto__`. */
export function plainOf(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(plainOf)
  if (!(data instanceof Map)) return data
  return Object.fromEntries([...data].map(([key, value]) => [String(key), plainOf(value)]))
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
  return depth < MAX_DEPTH && Object.values(data).every((value) => isExact(value, depth + 1))
}
