import type { Tool } from './define-tool.ts'
import {
  environmentEntries,
  exitStatuses,
  operandEntries,
  optionGroups,
  type OptionEntry,
  usageLines,
} from './option-table.ts'
import { version } from './version.ts'

/** Renders the man page of a tool, in roff with the man macros. */
export function renderManPage(tool: Tool): string {
  const blocks = [
    `.TH ${quoted(tool.name.toUpperCase())} 1 "" ${quoted(`davit ${version}`)} "davit"`,
    section('NAME', [`${text(tool.name)} \\- ${text(tool.summary)}`]),
    section('SYNOPSIS', usageLines(tool).map(synopsis).join('\n.br\n').split('\n')),
    section('DESCRIPTION', description(tool)),
    section(
      'OPTIONS',
      optionGroups(tool).flatMap(({ title, options }) => [`.SS ${quoted(title)}`, ...options.map(option)]),
    ),
    section(
      'ENVIRONMENT',
      environmentEntries(tool).map(([variables, describe]) => tagged(text(variables), describe)),
    ),
    section(
      'EXIT STATUS',
      exitStatuses(tool).map(([status, describe]) => tagged(text(status), describe)),
    ),
    section(
      'EXAMPLES',
      tool.examples.map(({ command, describe }) => tagged(`\\fB${text(command)}\\fR`, describe)),
    ),
    section('SEE ALSO', [(tool.seeAlso ?? ['davit(1)']).map(text).join(', ')]),
  ]
  return `${blocks.filter((block) => block !== '').join('\n')}\n`
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [`.SH ${title}`, ...lines].join('\n')
}

function synopsis(line: string): string {
  const [name = '', ...rest] = line.split(' ')
  return `\\fB${text(name)}\\fR ${text(rest.join(' '))}`
}

function description(tool: Tool): string[] {
  const paragraphs = (tool.description ?? [`${tool.summary}.`]).flatMap((paragraph) => ['.PP', text(paragraph)])
  const operands = operandEntries(tool).map(({ usage, describe }) => tagged(`\\fI${text(usage)}\\fR`, describe))
  return [...paragraphs.slice(1), ...operands]
}

function option({ short, name, value, onByDefault, describe }: OptionEntry): string {
  const long = `\\fB${text(`--${onByDefault ? '[no-]' : ''}${name}`)}\\fR${value === undefined ? '' : `=\\fI${text(value)}\\fR`}`
  return tagged(short === undefined ? long : `\\fB${text(`-${short}`)}\\fR, ${long}`, describe)
}

function tagged(term: string, describe: string): string {
  return ['.TP', term, text(describe)].join('\n')
}

/** Escapes text for roff. */
function text(plain: string): string {
  const escaped = plain.replaceAll('\n', ' ').replaceAll('\\', '\\e').replaceAll('-', '\\-')
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped
}

function quoted(plain: string): string {
  return `"${text(plain).replaceAll('"', '\\(dq')}"`
}
