import type { BeginEntry, JournalEntry, StepEntry } from '@davit/coordinator-state'
import { printableLine } from '@davit/diagnostics'
import { renderEvent, type ShownEvent } from '@davit/tool'

import { isStep, type Run } from './runs-of.ts'
import { endOf, type Fate, toolOf } from './summary-of.ts'

/** Renders what the tools of a run reported, one line for each event; further lines of an event are indented more. */
export function renderEntries({ executions, read }: Run, fate: Fate): readonly string[] {
  const entries = read.map(({ entry }) => entry)
  const known = new Map(executions.map((execution) => [execution.id, execution]))
  const ended = new Set(entries.filter(isStep).flatMap((step) => (step.kind === 'started' ? [] : [nameOf(step)])))
  const textOf = (entry: JournalEntry): string | undefined => {
    if (entry.kind === 'begin') return beginningOf(entry)
    if (entry.kind === 'end') return endLine(known.get(entry.id), fate)
    if (entry.kind !== 'started') return eventText(entry)
    return ended.has(nameOf(entry)) ? undefined : `${eventText(entry)}: ${openEnd(known.get(entry.id), fate)}`
  }
  const lines = entries.flatMap((entry) => indented(entry.time, textOf(entry)))
  const open = executions.filter(({ end }) => end === undefined)
  return [...lines, ...open.flatMap((execution) => indented(undefined, endLine(execution, fate)))]
}

/** Identifies a step within the whole run. */
function nameOf({ id, number }: StepEntry): string {
  return `${id} ${number}`
}

function beginningOf({ tool, pid, manifest }: BeginEntry): string {
  return printableLine(`${tool} (process ${pid}${manifest === undefined ? '' : `, manifest ${manifest.slice(0, 12)}`})`)
}

function endLine(execution: Run['executions'][number] | undefined, fate: Fate): string {
  return execution === undefined ? '' : printableLine(`${toolOf(execution)}: ${endOf(execution, fate)}`)
}

/** Outcome of a step without an end; if its tool has ended, none will follow. */
function openEnd(execution: Run['executions'][number] | undefined, fate: Fate): string {
  return execution === undefined || execution.end !== undefined ? 'did not end' : endOf(execution, fate)
}

function eventText(entry: Exclude<JournalEntry, { kind: 'begin' | 'end' }>): string | undefined {
  const event = eventOf(entry)
  const seconds = 'seconds' in entry ? entry.seconds : undefined
  return event && renderEvent(event, { verbosity: 'verbose', seconds })
}

/** Event of an entry; undefined for kinds unknown to this version. */
function eventOf(entry: Exclude<JournalEntry, { kind: 'begin' | 'end' }>): ShownEvent | undefined {
  switch (entry.kind) {
    case 'started':
    case 'finished':
      return { ...stepOf(entry), kind: entry.kind }
    case 'failed': {
      const log = entry.log === undefined ? {} : { log: entry.log }
      return { ...stepOf(entry), kind: entry.kind, message: entry.message ?? '', ...log }
    }
    case 'note':
    case 'warning':
      return { ...entry, kind: entry.kind }
    case 'error':
      return { kind: 'note', message: entry.message }
    default:
      return undefined
  }
}

function stepOf({ id, target, step }: StepEntry) {
  return { id, step, ...(target === undefined ? {} : { target }) }
}

const CLOCK = '00:00:00'.length

function indented(time: string | undefined, text: string | undefined): readonly string[] {
  if (text === undefined) return []
  const clock = time === undefined ? ' '.repeat(CLOCK) : new Date(time).toISOString().slice(11, 19)
  const [first = '', ...rest] = text.split('\n').map(printableLine)
  return [`  ${clock} ${first}`, ...rest.map((line) => `${' '.repeat(CLOCK + 5)}${line}`)]
}
