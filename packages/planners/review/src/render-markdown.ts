import { printableLine } from '@davit/diagnostics'
import type { PlanDocument } from '@davit/documents'
import { keptText, remarkText } from '@davit/transition'

import type { Arrangement } from './arrangement.ts'
import type { FileChanges } from './changed-packages.ts'
import { groupsOf } from './by-target.ts'
import { diffLines } from './diff-lines.ts'
import { namesText, rowText, signOf } from './row-text.ts'
import { type Row, rowsOf } from './rows.ts'
import { summaryLines } from './summary-lines.ts'

interface MarkdownOptions extends Arrangement {
  readonly files?: FileChanges | undefined
}

/** Renders a plan as Markdown, for a merge request. */
export function renderMarkdown(plan: PlanDocument, { files, ...arrangement }: MarkdownOptions): string {
  const [actions = '', ...rest] = summaryLines(plan)
  const parts = [
    [`### Plan for ${escaped(plan.profile)}: ${escaped(actions)}`],
    rest.map((line) => `- ${escaped(line)}`),
    plan.messages.map((message) => `- ${escaped(remarkText(message))}`),
    stepLines(plan, arrangement),
    plan.kept.map((one) => `- ${escaped(keptText(one))}`),
    details(plan, files),
  ]
  return parts.flatMap((lines) => (lines.length === 0 ? [] : [`${lines.join('\n')}\n`])).join('\n')
}

function stepLines({ steps }: PlanDocument, { by, fold }: Arrangement): readonly string[] {
  if (steps.length === 0) return []
  if (by === 'order') return [...HEAD, ...rowsOf(steps, { fold }).map((row) => tableRow(row, row.targets))]
  const rows = groupsOf(steps, { fold }).flatMap(({ targets, rows: own }) => own.map((row) => tableRow(row, targets)))
  return [...HEAD, ...rows]
}

const HEAD = ['| | step | targets | why |', '|---|---|---|---|']

function tableRow(row: Row, targets: readonly string[]): string {
  const { why, ...rest } = row
  const names = namesText(targets)
  const places = names === `${targets.length} targets` ? `${targets.length}: ${targets.join(', ')}` : names
  const step = rowText({ ...rest, why: [] }, 'below-its-target')
  return `| \`${signOf(row.verb)}\` | ${escaped(step)} | ${escaped(places)} | ${escaped(why.join('; '))} |`
}

/** What changes in services, folded away. */
function details(plan: PlanDocument, files: FileChanges = new Map()): readonly string[] {
  const diff = diffLines(plan).flatMap(({ service, lines }) => [
    `  service ${service}`,
    ...lines.map(({ sign, text }) => (sign === '~' ? `! ${text}` : `${sign} ${text}`)),
    ...(files.get(service) ?? []),
  ])
  if (diff.length === 0) return []
  const text = diff.map((line) => plain(line))
  const fence = fenceFor(text)
  return ['<details><summary>What changes in services</summary>', '', `${fence}diff`, ...text, fence, '', '</details>']
}

/** A fence that no line of the text ends. */
function fenceFor(lines: readonly string[]): string {
  const longest = lines.reduce(
    (most, line) => Math.max(most, ...(line.match(/`+/g) ?? ['']).map(({ length }) => length)),
    0,
  )
  return '`'.repeat(Math.max(3, longest + 1))
}

/** Shows text as it is, whatever Markdown or HTML would make of it. */
function escaped(text: string): string {
  return plain(text)
    .replaceAll(/[\\`*_{}[\]<>|~&@$]|[#!%](?=\w)/g, String.raw`\$&`)
    .replaceAll(/:(?=\/\/)|\.(?<=www\.)(?=\S)/gi, String.raw`\$&`)
    .replace(/^(?:[-+=]|\d+[.)])(?=\s|$)/, (beginning) => `${beginning.slice(0, -1)}\\${beginning.slice(-1)}`)
}

function plain(text: string): string {
  return printableLine(text)
}
