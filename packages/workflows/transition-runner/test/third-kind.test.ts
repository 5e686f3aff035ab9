import type { ServiceMapping, TargetName } from '@davit/documents'
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
import { expect, test } from 'vitest'

import { type PerformOutcome, runTransition } from '../src/transition-runner.ts'

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

test('a third kind of activity is planned, told and run between the others', async () => {
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

test('a third kind of activity occupies a core of each of its targets', async () => {
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

test('a third kind of activity is undone by what it says, after what came later', async () => {
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

test('the outcome of an incomplete rollback of a third kind is that of its row', async () => {
  const outcome = await run(async (activity) =>
    ['hand-over', 'delete'].includes(activity.kind) ? { kind: 'failed', message: 'it failed' } : SUCCEEDED,
  )
  expect(outcome).toMatchObject({ kind: 'new-services-left' })
})
