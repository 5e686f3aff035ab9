import { type Check, type Checkup, isSound, SEVERITIES, type Severity, type Subject } from '@davit/checkup'
import { printableLine, printableLines, wrapText } from '@davit/diagnostics'

interface Rendering {
  /** Columns of the terminal; undefined if there is none. */
  readonly columns?: number | undefined
  /** Whether to show only what is not as it should be. */
  readonly quiet: boolean
}

/** Renders what was looked at, each machine below its name. */
export function renderCheckup(checkup: Checkup, rendering: Rendering): string {
  // A note alone is worth no mail of cron.
  if (rendering.quiet && isSound(checkup)) return ''
  const { coordinator, machines } = checkup
  const sections = [
    sectionOf(`this machine (${coordinator.name})`, coordinator, rendering),
    ...machines.map((machine) => sectionOf(titleOf(machine), machine, rendering)),
  ].filter((section) => section !== '')
  const all = [coordinator, ...machines].flatMap(({ checks }) => checks)
  const text = rendering.quiet ? sections : [...sections, `${summaryOf(all, machines.length)}\n`]
  return text.join('\n')
}

function titleOf({ targets, name }: Subject): string {
  return name === '' ? targets.join(', ') : `${targets.join(', ')} (${name})`
}

function sectionOf(title: string, { checks }: Subject, rendering: Rendering): string {
  const shown = checks.filter(({ severity }) => !rendering.quiet || severity !== 'ok')
  if (shown.length === 0) return ''
  return printableLines([title, ...shown.flatMap((check) => linesOf(check, rendering))])
}

const MARGIN = 2 + Math.max(...SEVERITIES.map(({ length }) => length)) + 2

function linesOf({ severity, text, means, remedy }: Check, { columns }: Rendering): readonly string[] {
  const width = columns === undefined ? Number.POSITIVE_INFINITY : Math.max(20, columns - MARGIN)
  const lines = [
    ...wrapText(printableLine(text), width),
    ...(means === undefined ? [] : wrapText(printableLine(means), width)),
    // A command is copied as a whole.
    ...(remedy === undefined ? [] : [`→ ${remedy}`]),
  ]
  return lines.map((line, index) => `${(index === 0 ? `  ${severity}` : '').padEnd(MARGIN)}${line}`)
}

function summaryOf(checks: readonly Check[], machines: number): string {
  const count = (wanted: Severity) => checks.filter(({ severity }) => severity === wanted).length
  const counts = (['error', 'warning', 'note'] as const).flatMap((severity) => {
    const number = count(severity)
    return number === 0 ? [] : [`${number} ${severity}${number === 1 ? '' : 's'}`]
  })
  const where = machines === 0 ? 'this machine' : `this machine and ${machines} with targets`
  return `${where}: ${counts.length === 0 ? 'nothing is wrong' : counts.join(', ')}`
}
