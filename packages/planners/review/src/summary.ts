import type { PlanDocument, PlanStep } from '@davit/documents'
import { grouped } from '@davit/languages'
import { startsService, type Verb, verbs, verbTraits } from '@davit/target-runtime'

import { relatedRows } from './rows.ts'

/** Rows that a summary counts; `moveState` are services whose state moves, or is kept on the coordinator. */
type Counted = Verb | 'replace' | 'restart' | 'moveState'

interface CountedRows {
  readonly name: Counted
  /** Verb of the rows. */
  readonly verb: string
  /** For people, after a number. */
  readonly words: string
}

/** Rows that a summary counts, in its order. */
export function countedRows(): readonly CountedRows[] {
  const [starting, others] = [verbs().filter(startsService), verbs().filter((verb) => !startsService(verb))]
  const counted = (verb: Verb) => ({ name: verb, verb, words: verbTraits(verb).counted })
  return [
    ...starting.map(counted),
    { name: 'replace', verb: 'replace', words: 'to replace' },
    { name: 'restart', verb: 'restart', words: 'to restart' },
    ...others.map(counted),
    { name: 'moveState', verb: 'move', words: 'whose state moves' },
  ]
}

/** A plan in numbers. A service on three targets counts three times. */
export interface Counts extends Readonly<Record<Counted, number>> {
  /** Services that stay as they are, although their settings changed. */
  readonly keep: number
  /** Targets with steps. */
  readonly targets: number
  /** Targets whose profile becomes another one. */
  readonly profiles: number
  /** Absent if it is not known what targets lack. */
  readonly transfers?: { readonly targets: number; readonly paths: number; readonly bytes: number }
}

export interface Summary extends Counts {
  /** Ids of the steps of the longest chain, each of which has to wait for the one before it. */
  readonly chain: readonly string[]
}

/** Whether carrying out a plan would change nothing. */
export function isNothing({ steps, profiles, transfers = [] }: PlanDocument): boolean {
  return steps.length === 0 && profiles.length === 0 && transfers.length === 0
}

export function summaryOf(plan: PlanDocument): Summary {
  return { ...countsOf(plan), chain: longestChain(plan.steps).map(({ id }) => id) }
}

export function countsOf({ steps, kept, profiles, transfers }: PlanDocument): Counts {
  const rows = grouped(relatedRows(steps), ({ verb }) => verb)
  const counts = countedRows().map(({ name, verb }) => [name, rows.get(verb)?.length ?? 0] as const)
  return {
    ...(Object.fromEntries(counts) as Record<Counted, number>),
    keep: kept.length,
    targets: new Set(steps.map(({ target }) => target)).size,
    profiles: profiles.length,
    ...(transfers === undefined ? {} : { transfers: totalOf(transfers) }),
  }
}

function totalOf(transfers: NonNullable<PlanDocument['transfers']>): NonNullable<Counts['transfers']> {
  const sum = (field: 'paths' | 'bytes') => transfers.reduce((total, one) => total + one[field], 0)
  return { targets: transfers.length, paths: sum('paths'), bytes: sum('bytes') }
}

/** Finds the longest chain of each phase, one after the other: a phase begins when the one before it has ended. */
export function longestChain(steps: readonly PlanStep[]): readonly PlanStep[] {
  return [...grouped(steps, ({ phase }) => phase).values()].flatMap(longestIn)
}

function longestIn(phase: readonly PlanStep[]): readonly PlanStep[] {
  const ends = new Map<string, { readonly step: PlanStep; readonly length: number; readonly before?: string }>()
  let last: string | undefined
  // Each step comes after those that it waits for.
  for (const step of phase) {
    const before = step.waitsFor.reduce<string | undefined>((longest, id) => longer(longest, id), undefined)
    const length = 1 + lengthOf(before)
    ends.set(step.id, { step, length, ...(before === undefined ? {} : { before }) })
    last = longer(last, step.id)
  }
  const chain: PlanStep[] = []
  for (let end = ends.get(last ?? ''); end !== undefined; end = ends.get(end.before ?? '')) chain.unshift(end.step)
  return chain

  function lengthOf(id: string | undefined): number {
    return ends.get(id ?? '')?.length ?? 0
  }
  function longer(one: string | undefined, other: string): string | undefined {
    return lengthOf(other) > lengthOf(one) ? other : one
  }
}
