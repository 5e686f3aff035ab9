import { type Manifest, mappingIdOf } from '@davit/documents'
import {
  coresOf,
  type Doubt,
  type ObservedMapping,
  observedOf,
  planTransition,
  type Transition,
  KINDS,
} from '@davit/transition'
import { type Change, change, manifestOf, withoutTarget } from '@davit/transition/testing'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { runTransition, type TransitionOutcome } from '../src/transition-runner.ts'
import { type Fate, SimulatedMachines } from './simulated-machines.ts'

const choices = fc.array(fc.nat(12), { minLength: 1, maxLength: 30 })
/** Some activities succeed; from the first failure on, half of the rest fail as well, including those of the rollback. */
const fates = fc
  .tuple(
    fc.nat(30),
    fc.array(
      fc.constantFrom<Fate>('succeeds', 'succeeds', 'succeeds', 'fails-before', 'fails-after', 'connection-lost'),
    ),
  )
  .map(([successes, rest]): readonly Fate[] => [
    ...Array.from({ length: successes }, () => 'succeeds' as const),
    ...rest,
  ])
const situation = fc.record({ change, choices, fates })
const lost = fc.constantFrom('nothing', 'vanished', 'renamed')

test('runTransition() reaches next, in order, within the cores of every target', async () => {
  await fc.assert(
    fc.asyncProperty(change, choices, lost, async (change, choices, lost) => {
      const { machines, next, before } = scene(change, { choices, lost })
      const outcome = await machines.drive(deploy(machines, next, { previous: before }))
      expect(outcome).toEqual({ kind: 'completed' })
      expectReached(machines, next)
    }),
  )
})

test('runTransition() reaches next whatever has died, or was restarted, or has a damaged record', async () => {
  const doubts = fc.array(fc.constantFrom<Doubt | undefined>('died', 'rebooted', 'damaged', undefined), {
    minLength: 1,
  })
  await fc.assert(
    fc.asyncProperty(change, choices, doubts, async (change, choices, doubts) => {
      const { machines, next, before } = scene(change, { choices })
      machines.doubt((id) => doubts[[...machines.records.keys()].indexOf(id) % doubts.length])
      expect(await machines.drive(deploy(machines, next, { previous: before }))).toEqual({ kind: 'completed' })
      expectReached(machines, next)
    }),
  )
})

test('runTransition() reaches next after a crash behind any single write, without previous as well', async () => {
  await fc.assert(
    fc.asyncProperty(situation, fc.boolean(), async ({ change, choices, fates }, isExplained) => {
      const length = await turnsOf(change, choices, fates)
      for (let crash = 0; crash <= length; crash += 1) {
        const { machines, before, next, coresOf } = scene(change, { choices, fates })
        await machines.drive(deploy(machines, next), (turn) => (turn === crash ? 'crash' : 'go-on'))
        machines.recover({ choices, coresOf }, (id) => (id.length + crash) % 3 === 0)
        const goal = crash % 4 === 0 ? before : next
        const outcome = await machines.drive(deploy(machines, goal, isExplained ? { previous: before } : {}))
        expect(outcome).toEqual({ kind: 'completed' })
        expectReached(machines, goal)
      }
    }),
    { numRuns: 15 },
  )
})

test('runTransition() tells the truth whatever fails, in the rollback as well', async () => {
  await fc.assert(
    fc.asyncProperty(situation, async ({ change, choices, fates }) => {
      const { machines, next } = scene(change, { choices, fates })
      const initial = new Map(machines.records)
      const transition = plan(machines, next)
      const outcome = await machines.drive(run(transition, machines))
      if (outcome === 'crashed') throw new Error('nothing crashes here')
      expect(truthOf(outcome, { machines, next, initial })).toBe(true)
      expect(machines.violations).toEqual([])
    }),
    { numRuns: 120 },
  )
})

test('runTransition() rolls back to what was up after an earlier crash, and leaves nothing new', async () => {
  await fc.assert(
    fc.asyncProperty(situation, fc.nat(60), async ({ change, choices, fates }, crash) => {
      const { machines, next, coresOf } = scene(change, { choices })
      await machines.drive(deploy(machines, next), (turn) => (turn === crash ? 'crash' : 'go-on'))
      machines.recover({ choices, fates, coresOf }, () => false)
      const left = [...machines.records.keys()]
      const active = machines.activeIds()
      const outcome = await machines.drive(deploy(machines, next))
      if (outcome === 'crashed') throw new Error('nothing crashes here')
      fc.pre(outcome.kind === 'rolled-back')
      expect(machines.activeIds()).toEqual(active)
      expect(left).toEqual(expect.arrayContaining([...machines.records.keys()]))
      expect(machines.violations).toEqual([])
    }),
    { numRuns: 40 },
  )
})

test('runTransition() deploys after any failure as if there had been none', async () => {
  await fc.assert(
    fc.asyncProperty(situation, fc.constantFrom('rollback', 'keep'), async ({ change, choices, fates }, rollback) => {
      const { machines, next, coresOf } = scene(change, { choices, fates })
      await machines.drive(run(plan(machines, next), machines, { rollback }))
      machines.recover({ choices, coresOf }, () => false)
      expect(await machines.drive(deploy(machines, next))).toEqual({ kind: 'completed' })
      expectReached(machines, next)
    }),
  )
})

test('runTransition() is as before when it is interrupted anywhere', async () => {
  await fc.assert(
    fc.asyncProperty(change, choices, fc.nat(120), async (change, choices, moment) => {
      const { machines, next } = scene(change, { choices })
      const initial = new Map(machines.records)
      const interruption = new AbortController()
      const running = run(plan(machines, next), machines, { signal: interruption.signal })
      const outcome = await machines.drive(running, (turn) => {
        if (turn === moment) interruption.abort()
        return 'go-on'
      })
      if (outcome === 'crashed') throw new Error('nothing crashes here')
      expect(outcome).toMatchObject(outcome.kind === 'completed' ? {} : { kind: 'rolled-back', interrupted: true })
      expect(truthOf(outcome, { machines, next, initial })).toBe(true)
      expect(machines.violations).toEqual([])
    }),
    { numRuns: 100 },
  )
})

interface SceneOptions {
  readonly choices: readonly number[]
  readonly fates?: readonly Fate[]
  readonly lost?: string
}

/** Machines on which the first system of a change is active, and the second one is next. */
function scene({ before: first, after }: Change, { choices, fates = [], lost = 'nothing' }: SceneOptions) {
  const before = manifestOf(first)
  const next = manifestOf(lost === 'nothing' ? after : withoutTarget(after, 't2'))
  const reachable = lost === 'vanished' ? next.infrastructure : before.infrastructure
  const cores = coresOf(next.infrastructure)
  return {
    before,
    next,
    coresOf: cores,
    machines: new SimulatedMachines(observedOf(before, reachable), { choices, fates, coresOf: cores }),
  }
}

function plan(machines: SimulatedMachines, next: Manifest, previous?: Manifest): Transition {
  const options = previous === undefined ? {} : { previous }
  return planTransition(next, [...machines.records.values()], { upgrade: 'upgrade', ...options })
}

function deploy(machines: SimulatedMachines, next: Manifest, { previous }: { readonly previous?: Manifest } = {}) {
  return run(plan(machines, next, previous), machines)
}

function run(
  transition: Transition,
  { perform, coresOf }: SimulatedMachines,
  options: { readonly rollback?: 'rollback' | 'keep'; readonly signal?: AbortSignal } = {},
): Promise<TransitionOutcome> {
  return runTransition(transition, {
    kinds: KINDS,
    perform,
    coresOf,
    report: () => {},
    signal: new AbortController().signal,
    rollback: 'rollback',
    ...options,
  })
}

async function turnsOf(change: Change, choices: readonly number[], fates: readonly Fate[]): Promise<number> {
  const { machines, next } = scene(change, { choices, fates })
  await machines.drive(deploy(machines, next))
  return machines.turns
}

function expectReached(machines: SimulatedMachines, next: Manifest): void {
  const wanted = next.serviceMappings.map(mappingIdOf).sort()
  expect([...machines.records.keys()].sort()).toEqual(wanted)
  expect(machines.activeIds()).toEqual(wanted)
  expect([...machines.up].sort()).toEqual(wanted)
  expect(machines.violations).toEqual([])
}

interface Ending {
  readonly machines: SimulatedMachines
  readonly next: Manifest
  readonly initial: ReadonlyMap<string, ObservedMapping>
}

function truthOf(outcome: TransitionOutcome, { machines, next, initial }: Ending): boolean {
  const now = [...machines.records.keys()].sort().join()
  const isWhole = machines.activeIds().join() === now && [...machines.up].sort().join() === now
  const hasNew = [...machines.records.keys()].some((id) => !initial.has(id))
  switch (outcome.kind) {
    case 'completed':
      return isWhole && now === next.serviceMappings.map(mappingIdOf).sort().join()
    case 'rolled-back':
      return isWhole && now === [...initial.keys()].sort().join()
    case 'old-services-lost':
      return !hasNew && machines.activeIds().length < initial.size && outcome.remaining.length > 0
    case 'new-services-left':
      return hasNew && outcome.remaining.length > 0
    default:
      return false
  }
}
