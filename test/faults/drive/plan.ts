import { allFaults, pick, randomFrom, sampleFaults } from '../inject/choice.ts'
import { commitHere } from './commit.ts'
import { type Fault, nameOf, parseFault } from '../inject/fault.ts'
import type { Laboratory } from './laboratory.ts'
import { createLedger, type Ledger, openLedger, type Subject } from './ledger.ts'
import { isFailure, renderPoints } from './loop.ts'
import type { Order } from './order.ts'
import type { AllPoints } from '../inject/points.ts'
import type { RoundResult } from './round.ts'
import { trace } from './trace.ts'

/** The rounds of this run, and the whole run that they are part of. */
export interface Plan {
  readonly faults: readonly Fault[]
  readonly record: (result: RoundResult) => void
  /** Whether all rounds of the whole run are done. */
  readonly isWhole: () => boolean
  /** Whether any round of the whole run has failed. */
  readonly hasFailed: () => boolean
  /** Renders the result of the whole run so far; empty if there is no file. */
  readonly renderSum: () => string
}

/** Returns the remaining rounds of an existing file, or undefined if there is none. */
export function resumedPlan(order: Order): Plan | undefined {
  const ledger = order.file === undefined ? undefined : openLedger(order.file)
  if (ledger === undefined) return undefined
  requireSame(order, ledger)
  return planFrom(ledger, order)
}

/** Plans rounds for the points of an uninterrupted run. */
export async function planOf(
  places: readonly [Laboratory, ...Laboratory[]],
  order: Order,
  say: (text: string) => void,
): Promise<Plan> {
  const one = parseFault(order.name)
  if (one !== undefined) return planOfSome([one], false)
  const { seed = Date.now() % 1_000_000, file, extent, name } = order
  const points = await trace(places)
  const faults = faultsFor(points, order, randomFrom(seed))
  say(`seed ${seed}; ${renderPoints(points)}; ${faults.length} rounds`)
  if (file === undefined) return planOfSome(faults, isOfAll(order))
  return planFrom(createLedger(file, { commit: commitHere(file), seed, extent, name }, faults), order)
}

/** Returns the faults of this run, or, for a new file, all faults that it will contain. */
function faultsFor(points: AllPoints, order: Order, random: () => number): readonly Fault[] {
  const { file, extent, name, rounds, share } = order
  const all = () => allFaults(points, random, extent).filter((fault) => nameOf(fault).includes(name))
  if (file !== undefined) return all()
  if (rounds === undefined || share.of > 1)
    return all()
      .filter((_, number) => isOf(share, number))
      .slice(0, rounds)
  if (name === '') return sampleFaults(points, rounds, random)
  const matching = all()
  return matching.length === 0 ? [] : Array.from({ length: rounds }, () => pick(matching, random))
}

function isOfAll({ name, rounds, share }: Order): boolean {
  return name === '' && rounds === undefined && share.of === 1
}

function planOfSome(faults: readonly Fault[], isWhole: boolean): Plan {
  return { faults, record: () => {}, isWhole: () => isWhole, hasFailed: () => false, renderSum: () => '' }
}

function planFrom(ledger: Ledger, { rounds, share }: Order): Plan {
  const { faults, subject } = ledger
  const isDone = (number: number) => ledger.results().has(number)
  const failures = () => [...ledger.results().values()].filter(isFailure)
  const left = () => faults.filter((_, number) => !isDone(number))
  return {
    faults: faults.filter((_, number) => isOf(share, number) && !isDone(number)).slice(0, rounds),
    record: (result) => ledger.add(result),
    isWhole: () => subject.name === '' && left().length === 0,
    hasFailed: () => failures().length > 0,
    renderSum: () =>
      [
        `in all, with seed ${subject.seed} on ${subject.commit}:`,
        `${ledger.results().size} of ${faults.length} rounds, ${failures().length} failed, ${left().length} left`,
        ...failures().map(({ fault }) => `\n  failed: ${nameOf(fault)}`),
      ].join(' '),
  }
}

function isOf({ part, of }: Order['share'], number: number): boolean {
  return number % of === part
}

function requireSame(order: Order, { subject }: Ledger): void {
  const { file = '', seed = subject.seed, extent, name } = order
  const here = commitHere(file)
  const others = [
    [subject.commit === here, `on commit ${spoken(subject.commit)}, and this is ${spoken(here)}`],
    [subject.seed === seed, `with seed ${subject.seed}, not ${seed}`],
    [name === '' || name === subject.name, `with the name '${subject.name}', not '${name}'`],
    [extent === 'one-of-each' || extent === subject.extent, 'without --every-signal'],
  ] as const
  const other = others.find(([isSame]) => !isSame)?.[1]
  if (other !== undefined)
    throw new Error(`'${file}' was begun ${other}: continue with the same, or begin another file`)
}

function spoken(commit: Subject['commit']): string {
  const [name = '', changes] = commit.split('+')
  return changes === undefined ? name.slice(0, 12) : `${name.slice(0, 12)} with changes (${changes})`
}
