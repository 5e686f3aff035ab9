import { numberText } from '../values.ts'
import { fixed, general, scientific } from './decimal.ts'
import { type Directive, padded, paddedNumber } from './directive.ts'
import { isPrintable, quoteGo } from './quote-go.ts'

const BASES: ReadonlyMap<string, number> = new Map(Object.entries({ b: 2, o: 8, d: 10, x: 16, X: 16 }))

/** Formats a number; undefined if the verb is not for it. Whole numbers have the verbs of Go's integers, and of its fractions too. */
export function formatNumber(value: number, directive: Directive): string | undefined {
  const isWhole = Number.isInteger(value)
  switch (directive.verb) {
    case 'v':
      return formatPlain(value, directive)
    case 'b':
    case 'o':
    case 'd':
    case 'x':
    case 'X':
      return isWhole ? formatInteger(value, directive) : undefined
    case 'c':
    case 'q':
    case 'U':
      return isWhole ? formatCharacter(value, directive) : undefined
    default:
      return formatFraction(value, directive)
  }
}

function formatPlain(value: number, directive: Directive): string {
  if (directive.precision === undefined) return paddedNumber(signed(numberText(value), directive), directive)
  if (Number.isInteger(value)) return formatInteger(value, { ...directive, verb: 'd' })
  return formatFraction(value, { ...directive, verb: 'g' }) ?? ''
}

function signed(text: string, { plus, space }: Directive): string {
  if (text.startsWith('-')) return text
  return `${plus ? '+' : space ? ' ' : ''}${text}`
}

function formatInteger(value: number, directive: Directive): string {
  const { verb, precision, sharp } = directive
  if (precision === 0 && value === 0) return ' '.repeat(directive.width ?? 0)
  const plain = magnitude(value).toString(BASES.get(verb))
  const sign = signed(value < 0 ? '-' : '', directive)
  const prefixed = prefix(plain.padStart(leastDigits(directive, sign), '0'), sharp ? verb : '')
  return padded(sign + (verb === 'X' ? prefixed.toUpperCase() : prefixed), { ...directive, zero: false })
}

/** Numbers write only some of their digits beyond what they count exactly. */
function magnitude(value: number): number | bigint {
  return Number.isSafeInteger(value) ? Math.abs(value) : BigInt(Math.abs(value))
}

/** Zeros fill the width, unless there is a precision. */
function leastDigits({ precision, zero, width }: Directive, sign: string): number {
  return precision ?? (zero && width !== undefined ? width - sign.length : 0)
}

function prefix(digits: string, verb: string): string {
  if (verb === 'o') return digits.startsWith('0') ? digits : `0${digits}`
  return verb === 'x' || verb === 'X' ? `0x${digits}` : digits
}

function formatCharacter(value: number, directive: Directive): string {
  const character = characterOf(value)
  if (directive.verb === 'c') return padded(character ?? '\ufffd', directive)
  if (directive.verb === 'U') return padded(formatCode(value, directive), { ...directive, zero: false })
  return padded(quoteGo(character ?? '\ufffd', { quote: "'", onlyAscii: directive.plus }), directive)
}

function characterOf(code: number): string | undefined {
  const isCode = code >= 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  return isCode ? String.fromCodePoint(code) : undefined
}

function formatCode(value: number, { sharp, precision = 0 }: Directive): string {
  const hex = BigInt.asUintN(64, BigInt(value)).toString(16).toUpperCase()
  const character = sharp ? characterOf(value) : undefined
  const shown = character === undefined || !isPrintable(character) ? '' : ` '${character}'`
  return `U+${hex.padStart(Math.max(4, precision), '0')}${shown}`
}

function formatFraction(value: number, directive: Directive): string | undefined {
  const text = fractionText(Math.abs(value), directive)
  if (text === undefined) return undefined
  return paddedNumber(signed(value < 0 ? `-${text}` : text, directive), directive)
}

function fractionText(value: number, { verb, precision, sharp }: Directive): string | undefined {
  switch (verb) {
    case 'f':
    case 'F':
      return withPoint(fixed(value, precision ?? 6), sharp)
    case 'e':
    case 'E':
      return inCase(withPoint(scientific(value, precision ?? 6), sharp), verb)
    case 'g':
    case 'G':
      return inCase(sharp ? withZeros(general(value, precision), precision ?? 6) : general(value, precision), verb)
    default:
      return undefined
  }
}

function inCase(text: string, verb: string): string {
  return verb === 'E' || verb === 'G' ? text.toUpperCase() : text
}

function withPoint(text: string, sharp: boolean): string {
  return sharp && !text.includes('.') ? text.replace(/e|$/, (end) => `.${end}`) : text
}

/** `%#g` keeps the zeros up to its precision. */
function withZeros(text: string, count: number): string {
  const [mantissa = '', power = ''] = text.split(/(?=e)/)
  const digits = mantissa.replace('.', '').replace(/^0+(?=.)/, '').length
  return withPoint(mantissa, true) + '0'.repeat(Math.max(0, count - digits)) + power
}
