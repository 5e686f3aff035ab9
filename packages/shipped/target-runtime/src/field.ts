/** Encodes the empty text as a visible word, which `printf %b` decodes to nothing. */
const EMPTY = '\\c'

/**
 * Encodes text as one shell word for `printf %b`, in UTF-8: bytes outside a safe set become `\0ooo`. The word needs no quotes, contains
 * no white space, and is never empty. The receiver has to decode one word at a time (`\c` suppresses what follows it), with a character
 * behind it that saves newlines at the end from `$(…)`.
 */
export function encodeField(text: string): string {
  if (text.includes('\0')) throw new RangeError('a field cannot contain a NUL character')
  return encodeBytes(text)
}

/** Like `encodeField`, for what the receiver writes to a file or a pipe: bytes may be NUL. */
export function encodeBytes(content: string | Uint8Array): string {
  return Array.from(Buffer.from(content), encodeByte).join('') || EMPTY
}

export function decodeField(field: string): string {
  if (field === EMPTY) return ''
  const bytes = field.replace(/\\0([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
  return Buffer.from(bytes, 'latin1').toString()
}

/** Those of JSON are among them, since records and requests consist of it; none is special to a shell that expands a variable. */
const SAFE = /[A-Za-z0-9_./:@%+,={}"-]/

function encodeByte(byte: number): string {
  const character = String.fromCharCode(byte)
  return SAFE.test(character) ? character : `\\0${byte.toString(8).padStart(3, '0')}`
}
