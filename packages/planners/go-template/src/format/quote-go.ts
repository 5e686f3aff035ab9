const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u
const NEEDS_ESCAPE = /[^\x20-\x21\x23-\x5b\x5d-\x7e]/u
const SHORT: ReadonlyMap<string, string> = new Map(
  Object.entries({ a: '\u0007', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }).map(([letter, character]) => [
    character,
    `\\${letter}`,
  ]),
)

export interface QuoteOptions {
  readonly quote?: '"' | "'"
  /** Escapes everything beyond ASCII. */
  readonly onlyAscii?: boolean
}

/** Puts text into quotes with the escapes of Go. */
export function quoteGo(text: string, { quote = '"', onlyAscii = false }: QuoteOptions = {}): string {
  if (quote === '"' && !NEEDS_ESCAPE.test(text)) return `"${text}"`
  const parts: string[] = [quote]
  for (const character of text) parts.push(escaped(character, quote, onlyAscii))
  parts.push(quote)
  return parts.join('')
}

function escaped(character: string, quote: string, onlyAscii: boolean): string {
  if (character === quote || character === '\\') return `\\${character}`
  if (isPrintable(character) && (!onlyAscii || character < '\u0080')) return character
  return SHORT.get(character) ?? escapedCode(character.codePointAt(0) ?? 0)
}

export function isPrintable(character: string): boolean {
  return PRINTABLE.test(character)
}

function escapedCode(code: number): string {
  const hex = code.toString(16)
  if (code < 0x20 || code === 0x7f) return `\\x${hex.padStart(2, '0')}`
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}
