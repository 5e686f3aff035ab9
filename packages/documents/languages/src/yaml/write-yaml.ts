import { fieldsOf } from '../fields-of.ts'
import { Float } from '../float.ts'

/** Writes a table as deterministic YAML: keys in order, one per line; Maps and objects both become tables. */
export function writeYaml(table: object): string {
  return fieldsOf(table).length === 0 ? '{}\n' : `${blockOf(table, '')}\n`
}

/** Writes a table or list that is not empty; every line begins with the indentation. */
function blockOf(value: object, indent: string): string {
  if (Array.isArray(value)) return value.map((item: unknown) => `${indent}-${itemAfter(item, indent)}`).join('\n')
  return fieldsOf(value)
    .map(([key, field]) => `${indent}${keyOf(key)}:${after(field, indent)}`)
    .join('\n')
}

/** Writes what follows the colon of a key. */
function after(value: unknown, indent: string): string {
  if (typeof value === 'string') return ` ${textOf(value, indent)}`
  if (!isBlock(value)) return ` ${leafOf(value)}`
  return `\n${blockOf(value, `${indent}  `)}`
}

/** Writes what follows the dash of an item; the first line of a table or list is on the same line. */
function itemAfter(value: unknown, indent: string): string {
  if (!isBlock(value)) return after(value, indent)
  return ` ${blockOf(value, `${indent}  `).slice(indent.length + 2)}`
}

function isBlock(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || value instanceof Float) return false
  return Array.isArray(value) ? value.length > 0 : fieldsOf(value).length > 0
}

function leafOf(value: unknown): string {
  if (typeof value !== 'object' || value === null || value instanceof Float) return String(value)
  return Array.isArray(value) ? '[]' : '{}'
}

const PLAIN = /^[A-Za-z_/][A-Za-z0-9_./+@-]*$/
/** Words that are no text in YAML, in this or earlier versions. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n)$/i

function keyOf(key: string): string {
  return PLAIN.test(key) && !RESERVED.test(key) ? key : quotedText(key)
}

function textOf(text: string, indent: string): string {
  if (PLAIN.test(text) && !RESERVED.test(text)) return text
  return isLiteral(text) ? literalOf(text, `${indent}  `) : quotedText(text)
}

/** Characters that every reader of YAML leaves as they are. */
const PRINTABLE = /^[\n\x20-\x7E\xA0-\u2027\u202A-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD\u{10000}-\u{10FFFF}]+$/u

/** Whether a text has several lines, and none whose blanks a reader could take for indentation or for nothing. */
function isLiteral(text: string): boolean {
  return /^[^\s][^]*\n/.test(text) && !/\n\n$|\n +(?:\n|$)/.test(text) && PRINTABLE.test(text)
}

function literalOf(text: string, indent: string): string {
  const [mark, body] = text.endsWith('\n') ? ['|', text.slice(0, -1)] : ['|-', text]
  return `${mark}\n${body.replace(/^(?=.)/gm, indent)}`
}

/** Characters that JSON leaves as they are, and YAML does not. */
const UNSAFE = /[\x7F-\x9F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g

function quotedText(text: string): string {
  return JSON.stringify(text).replace(UNSAFE, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
