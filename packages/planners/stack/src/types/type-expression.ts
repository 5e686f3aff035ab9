import type { Spot } from '../finding.ts'
import type { ReportAt } from '../mufile/shapes.ts'
import { parseReference, type Reference } from '../references/reference.ts'
import type { SchemaDeclaration } from '../mufile/body.ts'

export type Primitive = 'any' | 'string' | 'number' | 'bool' | 'service'

/** A type as it is written; its words are not looked up yet. */
export type TypeExpression =
  | { readonly kind: 'primitive'; readonly name: Primitive }
  | { readonly kind: 'list'; readonly element: TypeExpression }
  | { readonly kind: 'map'; readonly key: TypeExpression; readonly value: TypeExpression; readonly text: string }
  | { readonly kind: 'word'; readonly text: string; readonly reference: Reference }
  | { readonly kind: 'inline'; readonly schema: SchemaDeclaration }

const PRIMITIVES: ReadonlyMap<string, Primitive> = new Map([
  ['any', 'any'],
  ['string', 'string'],
  ['number', 'number'],
  ['bool', 'bool'],
  ['boolean', 'bool'],
  ['service', 'service'],
])

/** All words that are types without being looked up. */
export const PRIMITIVE_WORDS: readonly string[] = [...PRIMITIVES.keys()]

const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ...['int', 'integer', 'float', 'double'].map((word) => [word, "did you mean 'number'?"] as const),
  ...['text', 'str'].map((word) => [word, "did you mean 'string'?"] as const),
  ...['list', 'array'].map((word) => [word, 'types of lists are written T[], such as string[]'] as const),
  ...['dict', 'object', 'map', 'table'].map(
    (word) => [word, 'types of tables are written map[string]T, such as map[string]any, or are schemas'] as const,
  ),
])

/** Says how a type is written that has another name elsewhere. */
export function hintForType(word = ''): string | undefined {
  return OTHER_WORDS.get(word.toLowerCase())
}

const MAP = 'map['
const LIST = '[]'

/** Parses a type; reports each malformed part, and after it whatever encloses it. */
export function parseType(written: string, spot: Spot, report: ReportAt): TypeExpression | undefined {
  if (written.split('[', MAX_NESTED + 2).length <= MAX_NESTED + 1) return parsePart(written, spot, report)
  const code = written.includes(MAP) ? 'MU154' : 'MU155'
  report(code, [written.trim()], {
    spot,
    message: `a type of more than ${MAX_NESTED} lists and maps within each other`,
  })
  return undefined
}

/** More is a mistake, or meant to exhaust the stack. */
const MAX_NESTED = 100

function parsePart(written: string, spot: Spot, report: ReportAt): TypeExpression | undefined {
  const text = written.trim()
  if (text.startsWith(MAP)) return parseMap(text, spot, report)
  const end = text.lastIndexOf(LIST)
  if (end !== -1) return parseList(text, end, (inner) => parsePart(inner, spot, report)) ?? refuse('MU155')
  if (text.includes(MAP)) return refuse('MU154')
  const name = PRIMITIVES.get(text)
  if (name !== undefined) return { kind: 'primitive', name }
  const reference = parseReference(text)
  return reference === undefined ? refuse('MU156') : { kind: 'word', text, reference }

  function refuse(code: 'MU154' | 'MU155' | 'MU156'): undefined {
    report(code, [text], { spot })
  }
}

type Inner = (text: string) => TypeExpression | undefined

function parseList(text: string, end: number, inner: Inner): TypeExpression | undefined {
  if (end === 0 || end + LIST.length < text.length) return undefined
  const element = inner(text.slice(0, end))
  return element && { kind: 'list', element }
}

function parseMap(text: string, spot: Spot, report: ReportAt): TypeExpression | undefined {
  const end = text.indexOf(']')
  const [keyText, valueText] = end === -1 ? ['', ''] : [text.slice(MAP.length, end).trim(), text.slice(end + 1)]
  const isWhole = keyText !== '' && valueText !== ''
  const key = isWhole ? parsePart(keyText, spot, report) : undefined
  const value = isWhole ? parsePart(valueText, spot, report) : undefined
  if (key !== undefined && value !== undefined) return { kind: 'map', key, value, text }
  report('MU154', [text], { spot })
}
