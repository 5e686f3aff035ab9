import type { PlanStep } from '@davit/documents'
import { grouped } from '@davit/languages'
import { removesRecord, startsService } from '@davit/target-runtime'

import type { Arrangement } from './arrangement.ts'

/** What is done to a service on one target, or alike on several. */
export interface Row {
  /** `activate`, `deactivate`, `restart`, `replace`, `move` for its state, … */
  readonly verb: string
  readonly service: string
  readonly container: string
  readonly targets: readonly string[]
  /** Where state goes: a target, or empty if the coordinator keeps it. */
  readonly to?: string
  readonly why: readonly string[]
  /** The steps in this row; each step of a plan is in exactly one. */
  readonly steps: readonly PlanStep[]
}

/** Arranges steps as rows, in the order in which they are done. */
export function rowsOf(steps: readonly PlanStep[], { fold }: Pick<Arrangement, 'fold'>): readonly Row[] {
  return fold ? foldedRows(relatedRows(steps)) : steps.map((step) => rowOf(step.activity, [step]))
}

const known = new WeakMap<readonly PlanStep[], readonly Row[]>()

/** Puts together what is done to a service at a place: stopping and starting it, or all that moves its state. */
export function relatedRows(steps: readonly PlanStep[]): readonly Row[] {
  const rows = known.get(steps) ?? rowsIn(steps)
  known.set(steps, rows)
  return rows
}

function rowsIn(steps: readonly PlanStep[]): readonly Row[] {
  const partners = partnersIn(steps)
  const taken = new Set([...partners.values()].flat())
  return steps.flatMap((step) => {
    if (taken.has(step)) return []
    const others = partners.get(step) ?? []
    const together = [...others, step]
    if (step.activity === 'transfer') return [{ ...rowOf('move', together), to: step.to ?? '', why: step.why }]
    const [stop] = others
    return [rowOf(stop === undefined ? step.activity : stop.key === step.key ? 'restart' : 'replace', together)]
  })
}

/** Shows rows as one that differ in nothing but the target. */
export function foldedRows(rows: readonly Row[]): readonly Row[] {
  return [...grouped(rows, identityOf).values()].map((alike) => ({
    ...(alike[0] as Row),
    targets: alike.flatMap(({ targets }) => targets),
    steps: alike.flatMap(({ steps }) => steps),
  }))
}

/** Text that is the same for rows that differ in nothing but the target. */
export function identityOf({ verb, service, container, to, why }: Row): string {
  return JSON.stringify([verb, service, container, to, why])
}

/** For what starts a service, what removes the version before; for a transfer, what takes the snapshot and restores it. */
function partnersIn(steps: readonly PlanStep[]): ReadonlyMap<PlanStep, readonly PlanStep[]> {
  const stops = queues(steps, removesRecord, positionOf)
  const snapshots = queues(steps, (activity) => activity === 'snapshot', positionOf)
  const restores = queues(
    steps,
    (activity) => activity === 'restore',
    ({ service, target }) => `${service} ${target}`,
  )
  return new Map(
    steps.map((step) => {
      const position = positionOf(step)
      if (startsService(step.activity)) return [step, stops(position)]
      if (step.activity !== 'transfer') return [step, []]
      return [step, [...snapshots(position), ...(step.to === undefined ? [] : restores(`${step.service} ${step.to}`))]]
    }),
  )
}

/** Returns a function that gives each step of some kinds once, by its position. */
function queues(
  steps: readonly PlanStep[],
  isWanted: (activity: string) => boolean,
  placeOf: (step: PlanStep) => string,
) {
  const waiting = grouped(
    steps.filter(({ activity }) => isWanted(activity)),
    placeOf,
  )
  const given = new Map<string, number>()
  return (place: string): readonly PlanStep[] => {
    const at = given.get(place) ?? 0
    given.set(place, at + 1)
    return (waiting.get(place) ?? []).slice(at, at + 1)
  }
}

function positionOf({ service, target, container }: PlanStep): string {
  return `${service} ${target} ${container}`
}

function rowOf(verb: string, steps: readonly PlanStep[]): Row {
  // The last one is where the service is from then on, or where its state comes from.
  const { service, container, target } = steps.at(-1) as PlanStep
  return { verb, service, container, targets: [target], why: [...new Set(steps.flatMap(({ why }) => why))], steps }
}
