import { utf8Text } from '../utf8-text.ts'

/** Escapes that stand for bytes, of which several are one character of UTF-8; code points; and single characters. */
const ESCAPE = /(?:\\x[0-9a-fA-F]{2}|\\[0-7]{3})+|\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}|\\[^]/g
const SINGLE: ReadonlyMap<string, string> = new Map(
  Object.entries({ a: '\u0007', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '\\': '\\' }),
)

/** Replaces the escapes of a Go string or character; undefined if one is unknown or stands for no character. */
export function unquote(text: string, quote: '"' | "'"): string | undefined {
  if (!text.includes('\\')) return text
  let isValid = true
  const result = text.replace(ESCAPE, (escape) => {
    const character = characterOf(escape, quote)
    isValid &&= character !== undefined
    return character ?? ''
  })
  return isValid ? result : undefined
}

function characterOf(escape: string, quote: '"' | "'"): string | undefined {
  if (escape.length === 2) return escape === `\\${quote}` ? quote : SINGLE.get(escape.slice(1))
  if (/^\\u/i.test(escape)) return ofCode(Number.parseInt(escape.slice(2), 16))
  const bytes = (escape.match(/x..|\d{3}/g) ?? []).map(byteOf)
  if (bytes.some((byte) => byte > 0xff)) return undefined
  // A character that is not one is refused; so many arguments would not fit on the stack.
  return quote === "'" ? String.fromCodePoint(...bytes.slice(0, 8)) : utf8Text(Uint8Array.from(bytes))
}

function byteOf(escape: string): number {
  return escape.startsWith('x') ? Number.parseInt(escape.slice(1), 16) : Number.parseInt(escape, 8)
}

function ofCode(code: number): string | undefined {
  const isCharacter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : undefined
}
