import { spendCharacters, spendSteps } from '../budget.ts'
import { charactersOf } from '../characters-of.ts'
import type { TemplateValue } from '../template-file.ts'
import { entriesOf, isList, isMap, typeName } from '../values.ts'
import { type Directive, padded } from './directive.ts'
import { formatNumber } from './format-number.ts'
import { quoteGo } from './quote-go.ts'
import { addSeparated, type TextBuilder } from './text-builder.ts'

/** Formats an argument of `printf` as its verb says, or as Go says that the verb is wrong. */
export function addFormatted(builder: TextBuilder, value: TemplateValue, directive: Directive): void {
  const { verb } = directive
  if (verb === 'T') builder.add(formatText(typeName(value), { ...directive, verb: 's' }) ?? '')
  else if (value === null) builder.add(verb === 'v' ? padded('<nil>', directive) : `%!${verb}(<nil>)`)
  else if (isList(value) || isMap(value)) builder.within(() => addCollection(builder, value, directive))
  else {
    spendFormat(builder, value, directive)
    builder.add(formatScalar(value, directive) ?? badVerb(value, directive))
  }
}

/** Some formats of numbers compute with hundreds of digits; quotes look at every character. */
function spendFormat({ budget }: TextBuilder, value: string | number | boolean, { verb, sharp }: Directive): void {
  if (typeof value === 'number') spendSteps(budget, STEPS_OF_NUMBER)
  else if (typeof value === 'string' && (verb === 'q' || sharp)) spendCharacters(budget, value.length)
}

const STEPS_OF_NUMBER = 32

function badVerb(value: string | number | boolean, directive: Directive): string {
  const plain = { ...directive, verb: 'v', sharp: false }
  return `%!${directive.verb}(${typeName(value)}=${formatScalar(value, plain) ?? ''})`
}

function formatScalar(value: string | number | boolean, directive: Directive): string | undefined {
  if (typeof value === 'number') return formatNumber(value, directive)
  if (typeof value === 'string') return formatText(value, directive)
  return directive.verb === 't' || directive.verb === 'v' ? padded(String(value), directive) : undefined
}

function formatText(value: string, directive: Directive): string | undefined {
  const { verb, precision, sharp, plus } = directive
  const text = precision === undefined ? value : charactersOf(value, 0, precision)
  switch (verb) {
    case 'v':
      return padded(sharp ? quoteGo(text) : text, directive)
    case 's':
      return padded(text, directive)
    case 'q':
      return padded(sharp && canBackquote(text) ? `\`${text}\`` : quoteGo(text, { onlyAscii: plus }), directive)
    case 'x':
    case 'X':
      return padded(hexOf(value, directive), directive)
    default:
      return undefined
  }
}

function canBackquote(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return !/[\u0000-\u0008\u000a-\u001f\u007f`\ufeff]/.test(text)
}

function hexOf(value: string, { verb, precision, space, sharp }: Directive): string {
  // Every unit gives a byte at least.
  const read = precision === undefined ? value : value.slice(0, precision + 1)
  const bytes = Buffer.from(read).subarray(0, precision).toString('hex')
  const parts = space ? (bytes.match(/../g) ?? []) : bytes === '' ? [] : [bytes]
  const text = parts.map((part) => (sharp ? `0x${part}` : part)).join(' ')
  return verb === 'X' ? text.toUpperCase() : text
}

/** In `%#v`, a collection looks as in a Go program; otherwise its elements stand between brackets, each in the same format. */
function addCollection(
  builder: TextBuilder,
  value: readonly TemplateValue[] | ReadonlyMap<string, TemplateValue>,
  directive: Directive,
): void {
  const isProgram = directive.verb === 'v' && directive.sharp
  const separator = isProgram ? ', ' : ' '
  const add = (item: TemplateValue) => addElement(builder, item, directive)
  if (isList(value)) {
    builder.add(isProgram ? `${typeName(value)}{` : '[')
    addSeparated(builder, { items: value, separator }, add)
  } else {
    builder.add(isProgram ? `${typeName(value)}{` : 'map[')
    addSeparated(builder, { items: entriesOf(value, builder.budget), separator }, ([key, item]) => {
      add(key)
      builder.add(':')
      add(item)
    })
  }
  builder.add(isProgram ? '}' : ']')
}

function addElement(builder: TextBuilder, value: TemplateValue, directive: Directive): void {
  if (value !== null) addFormatted(builder, value, directive)
  else builder.add(directive.verb === 'v' && directive.sharp ? 'interface {}(nil)' : '<nil>')
}
