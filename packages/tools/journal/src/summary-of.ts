import type { BeginEntry, JournalEntry } from '@davit/coordinator-state'

import { type Execution, isStep, type Run } from './runs-of.ts'

/** A run in a line. */
export interface RunSummary {
  readonly time: Date
  /** `alice@desk` */
  readonly who: string
  /** What was typed, as far as anybody knows. */
  readonly program: string
  /** `3 activated, 1 deactivated`; what it said, where it did nothing of that kind. */
  readonly done: string
  readonly outcome: string
  readonly generation: number | undefined
}

/** What has become of the process that wrote this, and no end. */
export type Fate = (begin: BeginEntry) => 'gone' | 'alive' | 'unknown'

export function summaryOf({ id, time, executions, read }: Run, fate: Fate): RunSummary {
  const begin = executions.find((execution) => execution.begin !== undefined)?.begin
  return {
    time,
    who: begin === undefined ? 'somebody' : whoIn(begin),
    program: programOf(id, executions),
    done: doneIn(read.map(({ entry }) => entry)),
    outcome: outcomeOf(executions, fate),
    generation: executions.findLast(({ end }) => end?.generation !== undefined)?.end?.generation,
  }
}

/** How one tool has ended. */
export function endOf({ begin, end }: Execution, fate: Fate): string {
  if (end === undefined) return FATES[begin === undefined ? 'unknown' : fate(begin)]
  if (end.status === 0) return 'done'
  return `status ${end.status}${end.message === undefined ? '' : `: ${end.message}`}`
}

/** Where the beginning is lost, so is this. */
export function toolOf({ begin }: Execution): string {
  return begin?.tool ?? 'a tool'
}

const FATES = { gone: 'did not end', alive: 'still runs', unknown: 'has not ended' } satisfies Record<
  ReturnType<Fate>,
  string
>

function whoIn({ user, sudoUser, host }: BeginEntry): string {
  return sudoUser === undefined ? `${user}@${host}` : `${sudoUser}@${host} as ${user}`
}

/** Who runs several tools says what it is in the name of the run: `davit-env.20261121T173205Z.4711`. */
function programOf(id: string, executions: readonly Execution[]): string {
  const [name = '', ...rest] = id.split('.')
  return rest.length > 0 ? name : [...new Set(executions.map(toolOf))].join(', ')
}

const COUNTED = { activate: 'activated', deactivate: 'deactivated' } as const

function doneIn(entries: readonly JournalEntry[]): string {
  const steps = entries.filter(isStep)
  const countOf = (word: string, isCounted: (step: (typeof steps)[number]) => boolean) => {
    const count = steps.filter(isCounted).length
    return count === 0 ? [] : [`${count} ${word}`]
  }
  const counts = [
    ...Object.entries(COUNTED).flatMap(([activity, word]) =>
      countOf(word, (step) => step.kind === 'finished' && step.activity === activity),
    ),
    ...countOf('failed', ({ kind }) => kind === 'failed'),
  ]
  const told = [counts, messagesIn(entries, 'note'), messagesIn(entries, 'warning')].find(({ length }) => length > 0)
  return told?.join(told === counts ? ', ' : '; ') ?? ''
}

/** Not of single targets, and not of the generation, which is told in any case. */
function messagesIn(entries: readonly JournalEntry[], kind: 'note' | 'warning'): readonly string[] {
  const messages = entries.flatMap((entry) =>
    entry.kind === kind && entry.target === undefined && entry.generation === undefined ? [entry.message] : [],
  )
  return [...new Set(messages)]
}

/** Of the first one that failed: what follows comes of it. */
function outcomeOf(executions: readonly Execution[], fate: Fate): string {
  const open = executions.filter(({ end }) => end === undefined)
  const failed = executions
    .filter(({ end }) => end !== undefined && end.status !== 0)
    .toSorted((left, right) => endTime(left) - endTime(right))
  const told = [...open, ...failed.slice(0, 1)].map((execution) => endOf(execution, fate))
  return told.length === 0 ? 'done' : [...new Set(told)].join('; ')
}

function endTime({ end }: Execution): number {
  return Date.parse(end?.time ?? '')
}
