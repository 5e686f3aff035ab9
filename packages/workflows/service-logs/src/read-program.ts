import { callLogs, type Machine } from '@davit/target'

import type { FoundLog } from './found-log.ts'
import { reasonIn } from './find-logs.ts'
import type { LogLine } from './log-line.ts'
import type { LogTerms } from './log-terms.ts'
import type { Clock } from './line-time.ts'
import { say } from './messages.ts'
import { LineSplitter } from './split-lines.ts'
import { timeLines } from './time-lines.ts'

type ProgramLog = Extract<FoundLog, { readonly kind: 'program' }>

/** How much has been read of a log that a module prints. */
export interface ProgramState {
  /** Time of the last line, as seconds and nine digits, or that when it was asked first. */
  readonly last: string
  /** Lines with that time. */
  readonly seen: readonly string[]
}

const SECONDS = 30
/** How many lines are asked for after the first time: more are left out. */
const MANY_LINES = 10_000

interface ToRead {
  readonly log: ProgramLog
  readonly state: ProgramState | undefined
  readonly bytes: number
  readonly clock: Clock
}

/** Asks the module for what its log has beyond a state. What has the last time is asked for again, since more may have come at that time. */
export async function readProgram(
  machine: Machine<'logs'>,
  { log, state, bytes, clock }: ToRead,
  terms: LogTerms,
): Promise<{ readonly lines: readonly LogLine[]; readonly state: ProgramState }> {
  const since = state?.last ?? (terms.since === undefined ? '' : String(terms.since / 1000))
  const lines = String(state === undefined ? terms.lines : MANY_LINES)
  const variables = { DAVIT_LOG: log.name, DAVIT_LOG_SINCE: since, DAVIT_LOG_LINES: lines }
  const output = await callLogs(machine, { ...log.called, profile: terms.profile, variables, seconds: SECONDS, bytes })
  const unchanged = state ?? { last: String(Math.floor(clock.now / 1000)), seen: [] }
  const printed = linesOf(output.text, output.isCut)
  if (output.failure !== undefined) {
    const { target, service } = log.source
    terms.report(say('log-module-failed', { target, service, reason: reasonIn(printed, output.failure) }))
    return { lines: [], state: unchanged }
  }
  const fresh = withoutSeen(printed, state)
  const hidden = fresh.map((line) => machine.secrets.redact(line))
  return {
    lines: timeLines(hidden, { source: log.source, clock, otherwise: clock.now }),
    state: stateAfter(fresh, unchanged),
  }
}

function linesOf(text: string, isCut: boolean): readonly string[] {
  const splitter = new LineSplitter()
  const lines = [...splitter.take(text), ...splitter.end()].filter((line) => line !== '')
  return isCut ? lines.slice(1) : lines
}

/** Leaves out lines that were read before, with what belongs to them. */
function withoutSeen(lines: readonly string[], state: ProgramState | undefined): readonly string[] {
  if (state === undefined) return lines
  const seen = [...state.seen]
  let isFresh = true
  return lines.filter((line) => {
    const time = secondsOf(line)
    if (time === undefined) return isFresh
    const index = time === state.last ? seen.indexOf(line) : -1
    isFresh = isLater(time, state.last) || (time === state.last && index === -1)
    if (index !== -1) seen.splice(index, 1)
    return isFresh
  })
}

function stateAfter(lines: readonly string[], before: ProgramState): ProgramState {
  const times = lines.map((line) => secondsOf(line))
  const last = times.reduce<string>(
    (latest, time) => (time !== undefined && isLater(time, latest) ? time : latest),
    before.last,
  )
  const seen = lines.filter((_, index) => times[index] === last)
  return { last, seen: last === before.last ? [...before.seen, ...seen] : seen }
}

/** The time that a line begins with, as seconds since 1970 with nine digits; undefined for a line that goes on. */
function secondsOf(line: string): string | undefined {
  const [, seconds, digits] = /^(\d{9,11})\.(\d{1,9}) /.exec(line) ?? []
  if (seconds !== undefined && digits !== undefined) return `${seconds}.${digits.padEnd(9, '0')}`
  const [, whole, fraction = '', zone] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d) /.exec(line) ?? []
  const time = whole === undefined ? Number.NaN : Date.parse(`${whole}${zone}`)
  return Number.isNaN(time) ? undefined : `${time / 1000}.${fraction.padEnd(9, '0')}`
}

/** Compares as text: a number would lose the last digits. */
function isLater(left: string, right: string): boolean {
  const width = 24
  const [first, second] = [left, right].map((time) => {
    const [seconds = '', digits = ''] = time.split('.')
    return `${seconds.padStart(width, '0')}.${digits.padEnd(9, '0')}`
  })
  return (first ?? '') > (second ?? '')
}
