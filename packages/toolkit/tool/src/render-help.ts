import { wrapText } from '@davit/diagnostics'

import type { HelpSection, Tool } from './define-tool.ts'
import * as table from './option-table.ts'

const WIDTH = 100
const INDENT = 2
const COLUMN = 30

/** Renders the text of `--help`: summary, usage, examples, then everything else. */
export function renderHelp(tool: Tool, found?: HelpSection): string {
  const paragraphs = [
    `${tool.summary}.`,
    `Usage: ${table.usageLines(tool).join('\n       ')}`,
    ...sections(tool, found)
      .filter(({ rows }) => rows.length > 0)
      .map(renderSection),
    ...(tool.description ?? []).map((paragraph) => wrapText(paragraph, WIDTH).join('\n')),
  ]
  return `${paragraphs.join('\n\n')}\n`
}

function sections(tool: Tool, found: HelpSection | undefined): readonly HelpSection[] {
  const operands = table.operandEntries(tool)
  const options = table.optionGroups(tool).map((group) => ({
    title: group.title,
    rows: group.options.map((option) => [table.optionUsage(option), option.describe] as const),
  }))
  return [
    { title: 'Examples', rows: tool.examples.map(({ command, describe }) => [command, describe] as const) },
    ...(found === undefined ? [] : [found]),
    { title: 'Operands', rows: operands.map(({ usage, describe }) => [usage, describe] as const) },
    ...options,
    { title: 'Environment', rows: table.environmentEntries(tool) },
    { title: 'Exit status', rows: table.exitStatuses(tool) },
  ]
}

function renderSection({ title, rows }: HelpSection): string {
  const widest = Math.max(...rows.map(([term]) => term.length + INDENT + 2))
  const column = Math.min(COLUMN, widest)
  return [`${title}:`, ...rows.flatMap(([term, describe]) => renderRow(term, describe, column))].join('\n')
}

/** Renders a row; a term that reaches into the column of descriptions gets a line of its own. */
function renderRow(term: string, describe: string, column: number): string[] {
  const head = `${' '.repeat(INDENT)}${term}`
  const lines = wrapText(describe, WIDTH - column).map((line) => `${' '.repeat(column)}${line}`)
  if (head.length > column - 2) return [head, ...lines]
  return [`${head.padEnd(column)}${lines[0]?.trimStart() ?? ''}`.trimEnd(), ...lines.slice(1)]
}
