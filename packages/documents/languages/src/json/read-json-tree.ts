import type { Diagnostic } from '@davit/diagnostics'
import { type ParseError, printParseErrorCode } from 'jsonc-parser'
import { located, type SourceText } from '../text/located.ts'
import type { Branch, Tree } from '../text/tree.ts'
import { type JsonScalars, type JsonText, scanJson } from './scan-json.ts'

/** Reads strict JSON with the place of every value. Refuses keys that occur twice, which JSON.parse accepts. */
export function readJsonTree(source: SourceText, maxDepth: number, scalars: JsonScalars = 'exact'): Tree {
  const { root, problems } = readJsonBranch(source, { maxDepth, scalars })
  if (root === undefined) return { ...located(null, { offset: 0 }, source), problems }
  return { ...located(root.data, root.node, source), content: { data: root.data }, problems }
}

export interface JsonReading {
  /** Undefined if the syntax is wrong. */
  readonly root?: Branch
  readonly problems: readonly Diagnostic[]
}

export interface JsonOptions extends Pick<JsonText, 'scalars'> {
  readonly maxDepth: number
}

/** Reads the same with the offsets of all values. */
export function readJsonBranch(source: SourceText, { maxDepth, scalars }: JsonOptions): JsonReading {
  const tooDeep = offsetBelow(source.text, maxDepth)
  if (tooDeep !== undefined) {
    const message = `nested more than ${maxDepth} levels deep`
    return { problems: [{ severity: 'error', message, place: source.placeAt(tooDeep) }] }
  }
  const { root, errors, problems } = scanJson({ source, scalars })
  return errors.length > 0 || root === undefined ? { problems: [syntaxError(errors, source)] } : { root, problems }
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
