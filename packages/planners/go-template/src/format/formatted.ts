import { type Budget, spendSteps } from '../budget.ts'
import type { TemplateValue } from '../template-file.ts'
import { typeName } from '../values.ts'
import { type Directive, PLAIN } from './directive.ts'
import { addFormatted } from './format-value.ts'
import { addSeparated, type TextBuilder, textBuilder } from './text-builder.ts'

/** Formats as `printf` of Go does. */
export function formatted(format: string, values: readonly TemplateValue[], budget: Budget): string {
  const builder = textBuilder(budget)
  const state: State = { builder, values, next: 0, isReordered: false }
  let at = 0
  for (let percent = format.indexOf('%'); percent >= 0; percent = format.indexOf('%', at)) {
    builder.add(format.slice(at, percent))
    at = addDirective(state, format, percent)
  }
  builder.add(format.slice(at))
  if (!state.isReordered && state.next < values.length) addExtra(builder, values.slice(state.next))
  return builder.text()
}

interface State {
  readonly builder: TextBuilder
  readonly values: readonly TemplateValue[]
  /** Index of the next argument. */
  next: number
  isReordered: boolean
}

/** Flags, an index, the width, and the precision with an index of its own, or the index before the verb. */
const DIRECTIVE =
  /%([-+# 0]*)(\[(?:[^\]]{0,99}\])?)?(\*|\d+)?(?:(\.)(\[(?:[^\]]{0,99}\])?)?(\*|\d+)?)?(\[(?:[^\]]{0,99}\])?)?([^])?/uy

function directiveAt(format: string, at: number): RegExpExecArray {
  DIRECTIVE.lastIndex = at
  const match = DIRECTIVE.exec(format)
  if (match === null) throw new Error(`no directive at offset ${at}`)
  return match
}

/** Writes a directive; returns the offset behind it. */
function addDirective(state: State, format: string, at: number): number {
  spendSteps(state.builder.budget, STEPS_OF_DIRECTIVE)
  const [whole, flags = '', first, width, point, second, places, third, verb] = directiveAt(format, at)
  const isPlaced = applyIndex(state, first) && !isMisplaced(first, width, point)
  const wide = numberOf(state, width, '%!(BADWIDTH)')
  const isPlacedToo = applyIndex(state, second)
  const precise = precisionOf(state, point, places)
  const isGood = applyIndex(state, third) && isPlaced && isPlacedToo
  if (isGood && verb !== undefined && verb !== '%') {
    addNext(state, directiveOf(flags, { verb, width: wide, precision: precise }))
  } else {
    state.builder.add(withoutArgument(verb))
  }
  return at + whole.length
}

function withoutArgument(verb: string | undefined): string {
  if (verb === undefined) return '%!(NOVERB)'
  return verb === '%' ? '%' : `%!${verb}(BADINDEX)`
}

/** An index belongs right before the `*` or verb that takes its argument. */
function isMisplaced(index: string | undefined, width: string | undefined, point: string | undefined): boolean {
  if (index === undefined || width === '*') return false
  return width !== undefined || point !== undefined
}

function directiveOf(flags: string, rest: Pick<Directive, 'verb' | 'width' | 'precision'>): Directive {
  const { verb, width, precision } = rest
  const minus = flags.includes('-') || (width ?? 0) < 0
  return {
    verb,
    minus,
    width: width === undefined ? undefined : Math.abs(width),
    precision,
    plus: flags.includes('+') && verb !== 'v',
    sharp: flags.includes('#'),
    space: flags.includes(' '),
    zero: flags.includes('0') && !minus,
  }
}

/** Reading a directive takes longer than other steps. */
const STEPS_OF_DIRECTIVE = 8

function addNext(state: State, directive: Directive): void {
  const value = state.values[state.next]
  state.next += 1
  if (value === undefined) state.builder.add(`%!${directive.verb}(MISSING)`)
  else addFormatted(state.builder, value, directive)
}

/** Goes to the argument that an index such as `[2]` names; false if there is none. */
function applyIndex(state: State, written: string | undefined): boolean {
  if (written === undefined) return true
  state.isReordered = true
  const index = /^\[(\d+)\]$/.test(written) ? Number(written.slice(1, -1)) - 1 : -1
  if (index < 0 || index >= state.values.length) return false
  state.next = index
  return true
}

/** Larger widths and precisions are none, in Go too. */
const MAX_NUMBER = 1_000_000

/** Reads a width or precision, from the arguments if it is `*`. */
function numberOf(state: State, written: string | undefined, complaint: string): number | undefined {
  if (written === undefined) return undefined
  const value = written === '*' ? state.values[state.next] : Number(written)
  if (written === '*') state.next += 1
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= MAX_NUMBER) return value
  if (written === '*') state.builder.add(complaint)
  return undefined
}

function precisionOf(state: State, point: string | undefined, places: string | undefined): number | undefined {
  if (point === undefined) return undefined
  if (places === undefined) return 0
  const precision = numberOf(state, places, '%!(BADPREC)')
  if (precision === undefined || precision >= 0) return precision
  state.builder.add('%!(BADPREC)')
  return undefined
}

function addExtra(builder: TextBuilder, values: readonly TemplateValue[]): void {
  builder.add('%!(EXTRA ')
  addSeparated(builder, { items: values, separator: ', ' }, (value) => {
    if (value === null) builder.add('<nil>')
    else {
      builder.add(`${typeName(value)}=`)
      addFormatted(builder, value, PLAIN)
    }
  })
  builder.add(')')
}
