import type { BeginEntry, JournalEntry } from '@davit/coordinator-state'

import { type Execution, isStep, type Run } from './runs-of.ts'

/** Summary of a run for one line. */
export interface RunSummary {
  readonly time: Date
  /** `alice@desk` */
  readonly who: string
  /** Name of the program that was run, as far as known. */
  readonly program: string
  /** `3 activated, 1 deactivated`; the messages, if nothing of that kind was done. */
  readonly done: string
  readonly outcome: string
  readonly generation: number | undefined
}

/** Tells what became of a process that wrote a beginning but no end. */
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

/** Describes how one tool ended. */
export function endOf({ begin, end }: Execution, fate: Fate): string {
  if (end === undefined) return FATES[begin === undefined ? 'unknown' : fate(begin)]
  if (end.status === 0) return 'done'
  return `status ${end.status}${end.message === undefined ? '' : `: ${end.message}`}`
}

/** Name of the tool; unknown if the beginning is lost. */
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

/** Name of the program: one that runs several tools puts its name into that of the run, `davit-env.20261121T173205Z.4711`. */
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

/** Messages that are neither about a single target nor about the generation, which the summary has anyway. */
function messagesIn(entries: readonly JournalEntry[], kind: 'note' | 'warning'): readonly string[] {
  const messages = entries.flatMap((entry) =>
    entry.kind === kind && entry.target === undefined && entry.generation === undefined ? [entry.message] : [],
  )
  return [...new Set(messages)]
}

/** Outcome of a run: tools that have not ended, and the first one that failed, since later failures follow from it. */
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
