import { quoted } from '@davit/diagnostics'
import { afterClose } from './blanks.ts'
import type { Token, TokenKind } from './tokens.ts'
import { unquote } from './unquote.ts'

/** Adds the tokens of an action, which opens at `open`; returns the offset of the text after it. */
export function lexAction(
  tokens: Token[],
  text: string,
  { open, start }: { readonly open: number; readonly start: number },
): number {
  tokens.push({ kind: 'open', text: '{{', at: open, end: start })
  let parentheses = 0
  let at = start
  while (!isClose(text, at)) {
    const token = nextToken(text, at)
    parentheses += PARENTHESES.get(token.kind) ?? 0
    if (parentheses < 0) return addError(tokens, at, "this ')' closes nothing")
    tokens.push(token)
    if (token.kind === 'error') return at
    at = token.end
  }
  if (parentheses > 0) return addError(tokens, at, "expected ')' before the end of the action")
  const end = afterClose(text, { at, trims: text[at] === ' ' })
  tokens.push({ kind: 'close', text: '}}', at, end })
  return end
}

const PARENTHESES: ReadonlyMap<TokenKind, number> = new Map([
  ['(', 1],
  [')', -1],
])

function isClose(text: string, at: number): boolean {
  return text.startsWith('}}', at) || text.startsWith(' -}}', at)
}

function addError(tokens: Token[], at: number, text: string): number {
  tokens.push({ kind: 'error', text, at, end: at })
  return at
}

/** The last blank before `-}}` belongs to the marker. */
const BLANKS = /[ \t]+?(?= -\}\})|[ \t]+/y
const NUMBER = /[+-]?(?:0[xX][0-9a-fA-F]*|[0-9]*)(?:\.[0-9]*)?(?:[eE][+-]?[0-9]*)?i?/y
const WORD = /[A-Za-z0-9_]+/y
const ANY_WORD = /[\p{L}\p{Nd}_]+/uy
const QUOTED = {
  '"': { kind: 'string', pattern: /"(?:[^"\\\n]|\\[^\n])*"/y },
  '`': { kind: 'string', pattern: /`[^`]*`/y },
  "'": { kind: 'character', pattern: /'(?:[^'\\\n]|\\[^\n])*'/y },
} as const

function nextToken(text: string, at: number): Token {
  const first = text[at]
  switch (first) {
    case undefined:
    case '\r':
    case '\n':
      return errorAt(at, "the action has no end: expected '}}' on the same line")
    case ' ':
    case '\t':
      return tokenOf('space', match(text, at, BLANKS), at)
    case '|':
    case '(':
    case ')':
      return tokenOf(first, first, at)
    case ':':
      return text[at + 1] === '=' ? tokenOf(':=', ':=', at) : errorAt(at, "expected '=' after ':'")
    case '"':
    case '`':
    case "'":
      return quotedAt(text, at, first)
    case '$':
      return wordToken(text, at, 'variable')
    case '.':
      return isDigit(text.charCodeAt(at + 1)) ? numberAt(text, at) : wordToken(text, at, 'field')
    default:
      return plainToken(text, at)
  }
}

function plainToken(text: string, at: number): Token {
  const unit = text.charCodeAt(at)
  if (isDigit(unit) || unit === 0x2b || unit === 0x2d) return numberAt(text, at)
  if (wordAt(text, at) !== '') return wordToken(text, at, 'name')
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
  if (character >= '!' && character <= '~') return tokenOf('other', character, at)
  return errorAt(at, `the character ${quoted(character)} means nothing in an action`)
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39
}

function match(text: string, at: number, pattern: RegExp): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}

function tokenOf(kind: TokenKind, text: string, at: number): Token {
  return { kind, text, at, end: at + text.length }
}

function errorAt(at: number, text: string): Token {
  return { kind: 'error', text, at, end: at }
}

function wordAt(text: string, at: number): string {
  const word = match(text, at, WORD)
  return text.charCodeAt(at + word.length) > 0x7f ? match(text, at, ANY_WORD) : word
}

const KEYWORDS: ReadonlyMap<string, TokenKind> = new Map([
  ...['block', 'define', 'else', 'end', 'if', 'range', 'template', 'with'].map((word) => [word, 'keyword'] as const),
  ['nil', 'nil'],
  ['true', 'boolean'],
  ['false', 'boolean'],
])

/** Reads a name, or a field or variable with the mark before it. */
function wordToken(text: string, at: number, kind: 'name' | 'field' | 'variable'): Token {
  const marks = kind === 'name' ? 0 : 1
  const word = wordAt(text, at + marks)
  const end = at + marks + word.length
  if (!endsWord(text, end)) {
    const character = String.fromCodePoint(text.codePointAt(end) ?? 0)
    return errorAt(end, `${quoted(character)} cannot be part of a name`)
  }
  if (kind === 'variable') return { kind, text: `$${word}`, at, end }
  if (kind === 'field') return { kind: word === '' ? 'dot' : 'field', text: word, at, end }
  return { kind: KEYWORDS.get(word) ?? 'name', text: word, at, end }
}

function endsWord(text: string, at: number): boolean {
  return at >= text.length || ' \t\r\n.,|:()}'.includes(text[at] ?? '')
}

function numberAt(text: string, at: number): Token {
  const number = match(text, at, NUMBER)
  const rest = wordAt(text, at + number.length)
  const value = rest === '' ? parseNumber(number) : undefined
  if (value === undefined) return errorAt(at, `${quoted(number + rest)} is not a number`)
  return { kind: 'number', text: String(value), at, end: at + number.length }
}

/** Parses a number as Go writes it; undefined for what is none, or has an imaginary part. */
function parseNumber(text: string): number | undefined {
  const digits = text.replace(/^[+-]/, '')
  const isOctal = /^0\d+$/.test(digits)
  const magnitude = isOctal ? Number(`0o${digits.slice(1)}`) : Number(digits || Number.NaN)
  if (!Number.isFinite(magnitude)) return undefined
  return text.startsWith('-') ? 0 - magnitude : magnitude
}

function quotedAt(text: string, at: number, quote: keyof typeof QUOTED): Token {
  const { kind, pattern } = QUOTED[quote]
  const written = match(text, at, pattern)
  if (written === '')
    return errorAt(at, `the text has no end: expected ${quote}${quote === '`' ? '' : ' on the same line'}`)
  const value = quote === '`' ? written.slice(1, -1) : unquote(written.slice(1, -1), quote)
  if (value === undefined) return errorAt(at, `${quoted(written)} has an escape that Go does not know`)
  const end = at + written.length
  if (kind === 'string') return { kind, text: value, at, end }
  const [character, ...others] = value
  if (character === undefined || others.length > 0) return errorAt(at, `${quoted(written)} is not one character`)
  return { kind: 'number', text: String(character.codePointAt(0)), at, end }
}
