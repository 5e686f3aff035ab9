import { fieldsOf } from '../fields-of.ts'
import { Float } from '../float.ts'

export interface WriteNixOptions {
  /** Returns the expression for a text that is not a mere string. */
  expressionOf?(text: string): string | undefined
}

/** Writes an expression in the Nix language: names in order, indented by two spaces; Maps and objects both become sets. */
export function writeNix(value: unknown, options: WriteNixOptions = {}): string {
  return expressionOf(value, options, '')
}

function expressionOf(value: unknown, options: WriteNixOptions, indent: string): string {
  if (typeof value !== 'object' || value === null || value instanceof Float) return leafOf(value, options)
  const inner = `${indent}  `
  const write = (part: unknown) => expressionOf(part, options, inner)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const lines = Array.isArray(value)
    ? value.map((item) => `${inner}${asItem(write(item))}\n`)
    : fieldsOf(value).map(([name, field]) => `${inner}${nameOf(name)} = ${write(field)};\n`)
  return lines.length === 0 ? `${open} ${close}` : `${open}\n${lines.join('')}${indent}${close}`
}

function leafOf(value: unknown, options: WriteNixOptions): string {
  if (typeof value === 'string') return options.expressionOf?.(value) ?? stringOf(value)
  return typeof value === 'number' || value instanceof Float ? numberOf(value) : String(value)
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
