import { printableLine, wrapText } from '@davit/diagnostics'
import type { PlanDocument, PlanStep } from '@davit/documents'
import { keptText, remarkText, stepText } from '@davit/transition'

import type { Arrangement } from './arrangement.ts'
import type { FileChanges } from './changed-packages.ts'
import { groupsOf } from './by-target.ts'
import { diffLines } from './diff-lines.ts'
import { namesText, rowText, type Sign, signOf } from './row-text.ts'
import { rowsOf } from './rows.ts'
import { summaryLines } from './summary-lines.ts'

export interface TextOptions extends Arrangement {
  readonly files?: FileChanges | undefined
  /** Columns of the terminal, at which lines are broken; without it, they are as long as they become. */
  readonly columns?: number | undefined
  readonly colours: boolean
}

/** A line before it is coloured and broken. */
interface Line {
  readonly text: string
  readonly sign?: Sign | 'title' | 'warning'
  readonly indent?: number
  /** Whether the line is one of a file, in which each space counts. */
  readonly isVerbatim?: boolean
}

/** Renders a plan for people: steps, what changes in services, and a summary. */
export function renderText(plan: PlanDocument, options: TextOptions): string {
  const parts = [
    plan.messages.map(messageLine),
    [...stepLines(plan.steps, options), ...plan.kept.map((one): Line => ({ sign: '=', text: `= ${keptText(one)}` }))],
    diffLines(plan).flatMap(({ service, lines }): readonly Line[] => [
      { sign: 'title', text: `service ${service} changes` },
      ...lines.map(({ sign, text }): Line => ({ sign, text: `${sign} ${text}`, indent: 2 })),
      ...(options.files?.get(service) ?? []).map(fileLine),
    ]),
    summaryLines(plan).map((text): Line => ({ text })),
  ]
  const rendered = parts.filter(({ length }) => length > 0).map((lines) => lines.map((line) => shown(line, options)))
  return rendered.map((lines) => lines.join('')).join('\n')
}

function fileLine(text: string): Line {
  const [first] = text
  const sign = first === '@' ? '>' : first === '+' || first === '-' ? first : undefined
  return { text, indent: 4, isVerbatim: true, ...(sign === undefined ? {} : { sign }) }
}

function messageLine(message: PlanDocument['messages'][number]): Line {
  const text = remarkText(message)
  return message.kind === 'warning' ? { text, sign: 'warning' } : { text }
}

function stepLines(steps: readonly PlanStep[], { by, fold }: Arrangement): readonly Line[] {
  if (by === 'order') {
    return rowsOf(steps, { fold }).map((row) => {
      const [only] = row.steps
      // A step that stands alone reads as everywhere else.
      const text = row.steps.length === 1 && only !== undefined ? stepText(only) : rowText(row, 'with-targets')
      return { sign: signOf(row.verb), text: `${signOf(row.verb)} ${text}` }
    })
  }
  return groupsOf(steps, { fold }).flatMap(({ targets, rows }): readonly Line[] => [
    { sign: 'title', text: titleOf(targets) },
    ...rows.map((row): Line => {
      const sign = signOf(row.verb)
      return { sign, text: `${sign} ${rowText(row, 'below-its-target')}`, indent: 2 }
    }),
  ])
}

function titleOf(targets: readonly string[]): string {
  const counted = namesText(targets)
  return counted.endsWith('targets') ? `${counted}: ${targets.join(', ')}` : counted
}

function shown(line: Line, { columns = Number.POSITIVE_INFINITY, colours }: TextOptions): string {
  const code = colours && line.sign !== undefined ? CODES[line.sign] : ''
  const lines = broken(line, columns)
  return lines.map((text) => (code === '' ? `${text}\n` : `\u001b[${code}m${text}\u001b[m\n`)).join('')
}

/** Breaks a line between words; what follows is indented more than its sign. */
function broken({ text, sign = 'title', indent = 0, isVerbatim = false }: Line, columns: number): readonly string[] {
  if (isVerbatim) return [`${' '.repeat(indent)}${printableLine(text.replaceAll('\t', '    '))}`]
  const hanging = ' '.repeat(indent + (sign.length > 1 ? 2 : 4))
  const lines = wrapText(printableLine(text), Math.max(columns - hanging.length, 1))
  return lines.map((one, at) => `${at === 0 ? ' '.repeat(indent) : hanging}${one}`)
}

/** Colours of a terminal, as numbers of its escape sequence. */
const CODES: Readonly<Record<NonNullable<Line['sign']>, string>> = {
  '+': '32',
  '-': '31',
  '~': '33',
  '>': '36',
  '=': '2',
  title: '1',
  warning: '33',
}
