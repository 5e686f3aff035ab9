import type { Tool } from './define-tool.ts'
import { exitStatuses, operandEntries, optionGroups, optionUsage, usageLine } from './option-table.ts'

const WIDTH = 100
const INDENT = 2
const COLUMN = 30

/** What `--help` prints: a sentence, examples, then everything else. */
export function renderHelp(tool: Tool): string {
  const operands = operandEntries(tool).filter(({ describe }) => describe !== '')
  const sections = [
    `${tool.summary}.`,
    `Usage: ${usageLine(tool)}`,
    section(
      'Examples',
      tool.examples.map(({ command, describe }) => [command, describe] as const),
    ),
    section(
      'Operands',
      operands.map(({ usage, describe }) => [usage, describe] as const),
    ),
    ...optionGroups(tool).map(({ title, options }) =>
      section(
        title,
        options.map((option) => [optionUsage(option), option.describe] as const),
      ),
    ),
    section('Exit status', exitStatuses(tool)),
    ...(tool.description ?? []).map((paragraph) => wrap(paragraph, WIDTH).join('\n')),
  ]
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`
}

function section(title: string, rows: readonly (readonly [term: string, describe: string])[]): string {
  if (rows.length === 0) return ''
  const widest = Math.max(...rows.map(([term]) => term.length + INDENT + 2))
  const column = Math.min(COLUMN, widest)
  return [`${title}:`, ...rows.flatMap(([term, describe]) => renderRow(term, describe, column))].join('\n')
}

/** A term that reaches into the column of descriptions gets a line of its own. */
function renderRow(term: string, describe: string, column: number): string[] {
  const head = `${' '.repeat(INDENT)}${term}`
  const lines = wrap(describe, WIDTH - column).map((line) => `${' '.repeat(column)}${line}`)
  if (head.length > column - 2) return [head, ...lines]
  return [`${head.padEnd(column)}${lines[0]?.trimStart() ?? ''}`.trimEnd(), ...lines.slice(1)]
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, line]
}
