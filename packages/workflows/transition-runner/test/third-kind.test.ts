import type { PlanDocument, ProfileName, ServiceMapping, TargetName } from '@davit/documents'
import { planDocument, renderText, summaryOf } from '@davit/review'
import { addRows, MORE_STATES, MORE_VERBS } from '@davit/target-runtime/testing'
import {
  activitiesOf,
  type Activity,
  type AnyActivity,
  coresOf,
  KINDS,
  type KindTable,
  observedOf,
  planTransition,
  type Transition,
} from '@davit/transition'
import { manifestOf, renderTransition } from '@davit/transition/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type PerformOutcome, runTransition } from '../src/transition-runner.ts'
import { type Fate, SimulatedMachines } from './simulated-machines.ts'

/** Moves the state of a service from the one that stops to the one that starts, and so occupies two machines. */
interface MovesState<Kind extends string> extends AnyActivity {
  readonly kind: Kind
  readonly from: ServiceMapping
  readonly to: ServiceMapping
  readonly undo: Pick<MovesState<'delete'>, 'id' | 'kind' | 'from' | 'to'> | undefined
}

type HandOver = MovesState<'hand-over'> | MovesState<'delete'>

const MOVES_STATE = {
  step: ({ kind, from, to }: HandOver) => `${kind} state of ${from.service} to ${to.target}`,
  target: ({ from }: HandOver) => from.target,
  about: ({ to }: HandOver) => `state ${to.target} ${to.service}`,
  subject: ({ from }: HandOver) => ({ service: from.service, container: from.container }),
  moved: 'to',
} as const

const MORE_KINDS = {
  ...KINDS,
  'hand-over': { ...MOVES_STATE, lanes: ({ from, to }) => [from.target, to.target], missedUndo: 'old-services-lost' },
  delete: { ...MOVES_STATE, lanes: ({ to }) => [to.target], missedUndo: 'new-services-left' },
} satisfies KindTable<Activity | HandOver>

const before = manifestOf({ services: { a: { on: ['t/p'] }, b: { on: ['v/p'] }, c: { on: ['u/p'] } } })
const next = manifestOf({ services: { a: { on: ['u/p'] }, b: { on: ['u/p'] }, c: { on: ['u/p'], version: 2 } } })

/** Plans the transition, with a transfer of the state of each service that changes its machine. */
function planned(): Transition<Activity | HandOver> {
  const plan = planTransition(next, observedOf(before, before.infrastructure), { upgrade: 'upgrade' })
  const [deactivations = [], activations = []] = plan.phases
  const moved = deactivations.filter(({ service }) => service.name !== 'c')
  const transfers = moved.map(({ mapping: from, service: { name } }): HandOver => {
    const to = activations.find(({ service }) => service.name === name)!.mapping
    const undo = { id: `delete ${name}`, kind: 'delete', from, to } as const
    return { id: `transfer ${name}`, kind: 'hand-over', from, to, waitsFor: [], reasons: [{ kind: 'new' }], undo }
  })
  return { ...plan, phases: [deactivations, transfers, activations] }
}

async function run(perform: (activity: Activity | HandOver) => Promise<PerformOutcome>) {
  return runTransition(planned(), {
    kinds: MORE_KINDS,
    perform,
    coresOf: coresOf(next.infrastructure),
    report: () => {},
    signal: new AbortController().signal,
    rollback: 'rollback',
  })
}

const SUCCEEDED: PerformOutcome = { kind: 'succeeded' }
const nameOf = ({ id }: AnyActivity) => id

test('a kind of activity that is no verb is planned, shown and run between the others, by a row', async () => {
  const told = renderTransition(planned(), MORE_KINDS).split('\n')
  expect(told.filter((line) => line.startsWith('hand-over'))).toEqual([
    expect.stringMatching(/^hand-over state of \S+ to u on t \(new\)$/),
    expect.stringMatching(/^hand-over state of \S+ to u on v \(new\)$/),
  ])
  const performed: string[] = []
  const outcome = await run(async (activity) => {
    performed.push(activity.kind)
    return SUCCEEDED
  })
  expect(outcome).toEqual({ kind: 'completed' })
  expect(performed).toEqual(activitiesOf(planned()).map(({ kind }) => kind))
})

test('such a kind occupies a core of each of its targets', async () => {
  const busy = new Map<TargetName, number>()
  let most = 0
  await run(async (activity) => {
    const lanes = activity.kind === 'hand-over' ? [activity.from.target, activity.to.target] : []
    for (const lane of lanes) busy.set(lane, (busy.get(lane) ?? 0) + 1)
    most = Math.max(most, ...busy.values())
    await Promise.resolve()
    for (const lane of lanes) busy.set(lane, (busy.get(lane) ?? 0) - 1)
    return SUCCEEDED
  })
  expect(most).toBe(1)
})

test('such a kind is undone by what it says, after what came later', async () => {
  const performed: string[] = []
  const outcome = await run(async (activity) => {
    performed.push(nameOf(activity))
    const isLast = activity.kind === 'activate' && activity.definition === 'next' && activity.service.name === 'b'
    return isLast ? { kind: 'failed', message: 'it failed' } : SUCCEEDED
  })
  expect(outcome).toMatchObject({ kind: 'rolled-back' })
  const undone = performed.slice(performed.findLastIndex((id) => id.startsWith('delete')) + 1)
  expect(performed.filter((id) => id.startsWith('delete')).toSorted()).toEqual(['delete a', 'delete b'])
  expect(undone.every((id) => id.startsWith('activate'))).toBe(true)
  expect(undone).toHaveLength(3)
})

test('the outcome of an incomplete rollback of such a kind is that of its row', async () => {
  const outcome = await run(async (activity) =>
    ['hand-over', 'delete'].includes(activity.kind) ? { kind: 'failed', message: 'it failed' } : SUCCEEDED,
  )
  expect(outcome).toMatchObject({ kind: 'new-services-left' })
})

describe('verbs that lead to a state of their own, by rows alone,', () => {
  let removeRows: () => void
  beforeAll(() => {
    removeRows = addRows(MORE_VERBS, MORE_STATES)
  })
  afterAll(() => removeRows())

  const system = manifestOf({ services: { a: { on: ['t/p'] }, b: { on: ['u/p'], dependsOn: ['a'] } } })
  const active = observedOf(system, system.infrastructure)

  test('are carried out, and what they stop keeps its record', async () => {
    const machines = new SimulatedMachines(active, { coresOf: () => 1 })
    expect(await runOn(machines, planOf('hold', 'b', 'a'))).toEqual({ kind: 'completed' })
    expect([statesOn(machines), [...machines.up], machines.violations]).toEqual([['held', 'held'], [], []])
    expect(await runOn(machines, planOf('release', 'a', 'b'))).toEqual({ kind: 'completed' })
    expect([statesOn(machines), machines.up.size, machines.violations]).toEqual([['active', 'active'], 2, []])
  })

  test('are undone by what they say, and the outcome follows from whether they stop a service', async () => {
    const failing = (fates: readonly Fate[]) => new SimulatedMachines(active, { coresOf: () => 1, fates })
    const undone = failing(['succeeds', 'fails-before'])
    expect(await runOn(undone, planOf('hold', 'b', 'a'))).toMatchObject({ kind: 'rolled-back' })
    expect(statesOn(undone)).toEqual(['active', 'active'])
    const lost = failing(['succeeds', 'fails-before', 'fails-before'])
    expect(await runOn(lost, planOf('hold', 'b', 'a'))).toMatchObject({ kind: 'old-services-lost' })
    expect(statesOn(lost)).toEqual(['held', 'releasing'])
  })

  test('leave what a plan finds: one that was cut off is done again, and a settled state stays', () => {
    const observed = (state: string) => active.map((one) => ({ ...one, state: state as 'active' }))
    const planned = (state: string) => planTransition(system, observed(state), { upgrade: 'upgrade' })
    expect(activitiesOf(planned('held'))).toEqual([])
    const [first] = renderTransition(planned('holding'), KINDS).split('\n')
    expect(first).toBe('deactivate b in p on u (hold was cut off)')
  })

  test('are shown with their signs, and counted', () => {
    const parts = { profile: 'p' as ProfileName, against: 'targets', terms: TERMS, manifest: system } as const
    const shown = planDocument({
      ...parts,
      observed: active,
      transition: {
        phases: [planOf('hold', 'b', 'a').phases.flat(), planOf('retouch', 'a').phases.flat()],
        skipped: [],
        outdated: [],
      },
      messages: [],
      skipped: [],
      previous: system,
    })
    const lines = renderText(shown, { by: 'order', fold: true, colours: false }).split('\n')
    expect(lines).toEqual(
      expect.arrayContaining([
        '- hold b in p on u (removed)',
        '- hold a in p on t (removed)',
        '~ retouch a in p on t (removed)',
        '2 to hold, 1 to retouch, on 2 targets',
      ]),
    )
    expect(summaryOf(shown)).toMatchObject({ activate: 0, hold: 2, retouch: 1, release: 0, restart: 0 })
  })

  /** Plans a verb for services, one after the other; it is undone by what leads back. */
  function planOf(verb: string, ...names: readonly string[]): Transition {
    const back = verb === 'hold' ? 'release' : 'hold'
    const chain = names.map((name, at) => {
      const { mapping, service } = active.find((one) => one.service.name === name)!
      const what = (kind: string) => ({ id: `${kind} ${name}`, kind, mapping, service, definition: 'recorded' })
      const waitsFor = at === 0 ? [] : [`${verb} ${names[at - 1]}`]
      return { ...what(verb), waitsFor, reasons: [{ kind: 'removed' }], undo: what(back) }
    })
    return { phases: [chain as unknown as readonly Activity[]], skipped: [], outdated: [] }
  }

  function runOn(machines: SimulatedMachines, transition: Transition) {
    const { perform, coresOf: cores } = machines
    const { signal } = new AbortController()
    const options = { perform, coresOf: cores, kinds: KINDS, report: () => {}, signal, rollback: 'rollback' } as const
    return machines.drive(runTransition(transition, options))
  }

  function statesOn({ records }: SimulatedMachines): readonly string[] {
    return [...records.values()].map(({ state }) => state).toSorted()
  }
})

const TERMS: PlanDocument['terms'] = {
  upgrade: 'upgrade',
  changed: 'keep',
  migration: 'none',
  takeOver: false,
  besideOriginal: false,
  undeploy: false,
}
