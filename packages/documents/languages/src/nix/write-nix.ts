import { fieldsOf } from '../fields-of.ts'
import { Float } from '../float.ts'

export interface WriteNixOptions {
  /** Returns the expression for a text that is not a mere string. */
  expressionOf?(text: string): string | undefined
}

/** Writes an expression in the Nix language: names in order, indented by two spaces; Maps and objects both become sets. */
export function writeNix(value: unknown, options: WriteNixOptions = {}, indent = ''): string {
  const inner = `${indent}  `
  if (typeof value === 'string') return options.expressionOf?.(value) ?? stringOf(value)
  if (typeof value === 'number' || value instanceof Float) return numberOf(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => `${inner}${asItem(writeNix(item, options, inner))}\n`)
    return items.length === 0 ? '[ ]' : `[\n${items.join('')}${indent}]`
  }
  const fields = fieldsOf(value).map(
    ([name, field]) => `${inner}${nameOf(name)} = ${writeNix(field, options, inner)};\n`,
  )
  return fields.length === 0 ? '{ }' : `{\n${fields.join('')}${indent}}`
}

/** Items of lists are separated by blanks, as functions are from their arguments. */
function asItem(expression: string): string {
  return /^["[{(\d]|^(?:true|false|null)$/.test(expression) ? expression : `(${expression})`
}

const NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/
const KEYWORDS: ReadonlySet<string> = new Set([
  'assert',
  'else',
  'if',
  'in',
  'inherit',
  'let',
  'or',
  'rec',
  'then',
  'with',
])

function nameOf(name: string): string {
  return NAME.test(name) && !KEYWORDS.has(name) ? name : stringOf(name)
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '"': '\\"',
  '\\': '\\\\',
  '${': '\\${',
}

function stringOf(text: string): string {
  return `"${text.replace(/[\n\r\t"\\]|\$\{/g, (part) => ESCAPES[part] ?? part)}"`
}

/** The smallest number that Nix reads; smaller ones are written as a quotient, which is exact. */
const SMALLEST = 2.2250738585072014e-308
const SCALE = 2 ** 200

function numberOf(value: number | Float): string {
  const number = value instanceof Float ? value.value : value
  if (!(value instanceof Float) && Number.isInteger(number)) return String(number)
  const isTiny = number !== 0 && Math.abs(number) < SMALLEST
  return isTiny ? `(${decimal(number * SCALE)} / ${decimal(SCALE)})` : decimal(number)
}

/** Writes digits, a point and digits, as Nix expects. */
function decimal(number: number): string {
  const [digits = '', exponent] = String(number).split('e')
  const fraction = digits.includes('.') ? digits : `${digits}.0`
  return exponent === undefined ? fraction : `${fraction}e${exponent.replace('+', '')}`
}
