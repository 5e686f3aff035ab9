import type { Diagnostic } from '@davit/diagnostics'
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { type Data, located, type LocatedNode, type SourceText } from '../text/located.ts'
import { describe } from '../text/describe.ts'
import { parseNumber } from '../text/parse-number.ts'
import { Float } from '../float.ts'
import { type Branch, listOf, tableOf, type Tree } from '../text/tree.ts'

/** Reads strict JSON with the place of every value. Refuses keys that occur twice, which JSON.parse accepts. */
export function readJsonTree(source: SourceText, maxDepth: number): Tree {
  const { root, problems } = readJsonBranch(source, { maxDepth, keepsText: false })
  if (root === undefined) return { ...located(null, { offset: 0 }, source), problems }
  const { placeOf, placeOfKey } = located(root.data, root.node, source)
  return { content: { data: root.data }, problems, placeOf, placeOfKey }
}

export interface JsonReading {
  /** Undefined if the syntax is wrong. */
  readonly root?: Branch
  readonly problems: readonly Diagnostic[]
}

export interface JsonOptions {
  readonly maxDepth: number
  /** Whether numbers, truth values and null keep their text; then numbers need not be exact. */
  readonly keepsText: boolean
}

/** Reads the same with the offsets of all values. */
export function readJsonBranch(source: SourceText, { maxDepth, keepsText }: JsonOptions): JsonReading {
  const tooDeep = offsetBelow(source.text, maxDepth)
  if (tooDeep !== undefined) {
    const message = `nested more than ${maxDepth} levels deep`
    return { problems: [{ severity: 'error', message, place: source.placeAt(tooDeep) }] }
  }
  const errors: ParseError[] = []
  const root = parseTree(source.text, errors, { disallowComments: true, allowTrailingComma: false })
  if (errors.length > 0 || root === undefined) return { problems: [syntaxError(errors, source)] }
  const problems: Diagnostic[] = []
  return { root: build(root, { source, problems, keepsText }), problems }
}

interface Context {
  readonly keepsText: boolean
  readonly source: SourceText
  readonly problems: Diagnostic[]
}

function build(node: Node, context: Context, keyOffset?: number): Branch {
  const at = { offset: node.offset, ...(keyOffset === undefined ? {} : { keyOffset }) }
  if (node.type === 'object') return buildTable(node, context, at)
  if (node.type === 'array')
    return listOf(
      (node.children ?? []).map((item) => build(item, context)),
      at,
    )
  if (context.keepsText && node.type !== 'string') return buildScalar(node, context, at)
  return { data: node.type === 'number' ? numberOf(node, context) : (node.value as Data), node: at }
}

function buildScalar({ offset, length, value }: Node, { source, problems }: Context, at: LocatedNode): Branch {
  const written = source.text.slice(offset, offset + length)
  if (typeof value === 'number' && !Number.isFinite(value)) {
    problems.push({ severity: 'error', message: `${written} is out of range`, place: source.placeAt(offset) })
  }
  return { data: value as Data, node: { ...at, written } }
}

function buildTable(object: Node, context: Context, at: LocatedNode): Branch {
  const members = new Map<string, Branch>()
  for (const { children: [key, value] = [] } of object.children ?? []) {
    if (key === undefined || value === undefined) continue
    const name = String(key.value)
    if (members.has(name)) {
      const place = context.source.placeAt(key.offset)
      context.problems.push({ severity: 'error', message: `key ${describe(name)} occurs twice`, place })
    }
    members.set(name, build(value, context, key.offset))
  }
  return tableOf(members, at)
}

function numberOf({ offset, length }: Node, { source, problems }: Context): number | Float {
  const number = parseNumber(source.text.slice(offset, offset + length))
  if (typeof number === 'number' || number instanceof Float) return number
  problems.push({ severity: 'error', message: number.problem, place: source.placeAt(offset) })
  return 0
}

const SYNTAX: Readonly<Record<string, string>> = {
  InvalidSymbol: 'unexpected word: text must be in double quotes',
  InvalidNumberFormat: 'not a valid number',
  PropertyNameExpected: 'expected a key in double quotes',
  ValueExpected: 'expected a value',
  ColonExpected: "expected ':'",
  CommaExpected: "expected ','",
  CloseBraceExpected: "expected '}'",
  CloseBracketExpected: "expected ']'",
  EndOfFileExpected: 'expected the end of the text',
  InvalidCommentToken: 'JSON has no comments',
  UnexpectedEndOfComment: 'JSON has no comments',
  UnexpectedEndOfString: 'expected a closing double quote',
  UnexpectedEndOfNumber: 'expected a digit',
  InvalidUnicode: 'not a valid \\u escape',
  InvalidEscapeCharacter: 'not a valid escape',
  InvalidCharacter: 'control characters in text must be escaped',
}

/** Returns the first error; the ones after it are mostly its consequences. */
function syntaxError(errors: readonly ParseError[], source: SourceText): Diagnostic {
  const [first] = errors
  if (first === undefined) return { severity: 'error', message: 'expected a value', place: source.placeAt(0) }
  const { error, offset } = first
  const code = printParseErrorCode(error)
  const isComma =
    code === 'PropertyNameExpected' && /,\s*$/.test(source.text.slice(0, offset)) && source.text[offset] === '}'
  const message = isComma ? "unexpected '}' after a comma: expected a key" : (SYNTAX[code] ?? 'not valid JSON')
  const isEnd = offset >= source.text.trimEnd().length
  return {
    severity: 'error',
    message: `${message}${isEnd ? ', but the text ends' : ''}`,
    place: source.placeAt(offset),
  }
}

/** Finds the first bracket that nests too deeply, without recursion: a recursive parser would overflow its stack. */
function offsetBelow(text: string, maxDepth: number): number | undefined {
  let depth = 0
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]
    if (character === '"') index = stringEnd(text, index)
    else if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') depth -= 1
    if (depth > maxDepth) return index
  }
  return undefined
}

function stringEnd(text: string, start: number): number {
  let index = start + 1
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1
  return index
}
