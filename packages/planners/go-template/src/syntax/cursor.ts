import { quoted } from '@davit/diagnostics'
import { TemplateError } from '../template-error.ts'
import type { TemplateFile } from '../template-file.ts'
import { lexThroughAction } from './lex-template.ts'
import type { List } from './nodes.ts'
import type { Token } from './tokens.ts'
import type { Variables } from './variables.ts'

/** Where a parser is, and what it has met so far. */
export interface Cursor {
  readonly file: TemplateFile
  /** Of the current action, and of the text before it. */
  tokens: readonly Token[]
  readonly definitions: Map<string, List>
  /** Index of the next token. */
  next: number
  /** Offset behind the tokens. */
  lexed: number
  /** Variables that can be used here. */
  variables: Variables
  /** Blocks and parentheses around. */
  depth: number
}

/** Returns the next token without passing it. An error of the lexer is thrown when it is reached. */
export function peek(cursor: Cursor): Token {
  const token = cursor.tokens[cursor.next] ?? lexMore(cursor)
  if (token.kind === 'error') throw new TemplateError(token.text, { file: cursor.file, offset: token.at })
  return token
}

/** Replaces the tokens, which have all been passed, by those up to the end of the next action. */
function lexMore(cursor: Cursor): Token {
  const tokens: Token[] = []
  while (tokens.length === 0) cursor.lexed = lexThroughAction(tokens, cursor.file.text, cursor.lexed)
  cursor.tokens = tokens
  cursor.next = 0
  const [first] = tokens
  if (first === undefined) throw new Error('the lexer found nothing')
  return first
}

/** Passes the next token, and returns it. */
export function take(cursor: Cursor): Token {
  const token = peek(cursor)
  cursor.next += 1
  return token
}

/** Passes blanks; returns the token after them, without passing it. */
export function peekPastBlanks(cursor: Cursor): Token {
  if (peek(cursor).kind === 'space') cursor.next += 1
  return peek(cursor)
}

/** Passes blanks, and the token after them. */
export function takePastBlanks(cursor: Cursor): Token {
  const token = peekPastBlanks(cursor)
  cursor.next += 1
  return token
}

export function failAt({ file }: Cursor, { at }: { readonly at: number }, problem: Problem): never {
  throw new TemplateError(problem.message, { file, offset: at }, { hint: problem.hint })
}

interface Problem {
  readonly message: string
  readonly hint?: string | undefined
}

export function unexpected(cursor: Cursor, token: Token, expected: string): never {
  const hint = cursor.file.text.startsWith('\\"', token.at) ? UNESCAPED : undefined
  failAt(cursor, token, { message: `${nameOf(cursor, token)} is unexpected here: expected ${expected}`, hint })
}

const UNESCAPED = "actions are read before anything around them, so their quotes need no '\\'"

function nameOf({ file }: Cursor, { kind, at, end }: Token): string {
  if (kind === 'end') return 'the end of the file'
  return kind === 'text' ? 'text' : quoted(file.text.slice(at, end).trim() || ' ')
}

/** Blocks and parentheses within each other; every level takes some of the stack. */
const MAX_NESTING = 200

/** Parses what is within a block or parentheses. */
export function nested<Result>(cursor: Cursor, { at }: { readonly at: number }, parse: () => Result): Result {
  if (cursor.depth >= MAX_NESTING) {
    failAt(cursor, { at }, { message: `more than ${MAX_NESTING} blocks and parentheses within each other` })
  }
  cursor.depth += 1
  const result = parse()
  cursor.depth -= 1
  return result
}
