import type { Manifest, SnapshotMapping } from '@davit/documents'
import { describe, expect, test } from 'vitest'

import {
  activitiesOf,
  type ObservedMapping,
  observedOf,
  planRollback,
  planTransition,
  type PlanOptions,
  type StateMoves,
  type Transition,
  wayBack,
} from '../src/transition.ts'
import { manifestOf, withState } from './testing.ts'

/** `page` reaches `store` by way of `api`, which stays as it is. */
const chain = manifestOf({
  services: {
    store: { on: ['z/process'] },
    api: { on: ['m/process'], dependsOn: ['store'] },
    page: { on: ['a/process'], dependsOn: ['api'] },
  },
})
const there = observedOf(chain, chain.infrastructure)

function edgesOf({ phases }: Pick<Transition, 'phases'>): readonly string[] {
  const names = new Map(phases.flat().map((one) => [one.id as string, `${one.kind} ${one.service.name}`]))
  return phases.flat().map(({ id, waitsFor }) => {
    const others = waitsFor.map((other) => names.get(other))
    return others.length === 0 ? `${names.get(id)}` : `${names.get(id)} after ${others.join(', ')}`
  })
}

function planned(observed: readonly ObservedMapping[], options: Partial<PlanOptions> = {}): Transition {
  return planTransition(chain, observed, { upgrade: 'repair', ...options })
}

const restarted = withState(withState(there, 'store', { doubt: 'rebooted' }), 'page', { doubt: 'rebooted' })

describe('a service that stays as it is', () => {
  test('connects those around it', () => {
    expect(edgesOf(planned(restarted))).toEqual([
      'deactivate page',
      'deactivate store after deactivate page',
      'activate store',
      'activate page after activate store',
    ])
  })

  test('connects them in a rollback, too', () => {
    const plan = planned(restarted)
    const all = new Set(activitiesOf(plan).map(({ id }) => id))
    expect(edgesOf(planRollback(plan, all))).toEqual([
      'deactivate page',
      'deactivate store after deactivate page',
      'activate store',
      'activate page after activate store',
    ])
  })

  test('does not hide what is missing behind it from a repair', () => {
    const observed = withState(there, 'page', { doubt: 'died' }).filter(({ service }) => service.name !== 'store')
    expect(edgesOf(planned(observed))).toEqual([
      'deactivate page',
      'activate store',
      'activate page after activate store',
    ])
  })
})

test('a service without record connects those around it', () => {
  const observed = restarted.filter(({ service }) => service.name !== 'api')
  expect(edgesOf(planned(observed))).toEqual([
    'deactivate page',
    'deactivate store after deactivate page',
    'activate store',
    'activate api after activate store',
    'activate page after activate api',
  ])
})

test('a rollback orders services around one that it cannot start again', () => {
  const plan = planned(withState(restarted, 'api', { doubt: 'damaged' }))
  const all = new Set(activitiesOf(plan).map(({ id }) => id))
  const started = edgesOf(planRollback(plan, all)).filter((edge) => edge.startsWith('activate'))
  expect(started).toEqual(['activate store', 'activate page after activate store'])
})

test('the way back orders services around one that was not active', () => {
  const cut = withState(there, 'api', { state: 'activating' })
  const steps = wayBack(planTransition(chain, cut, { upgrade: 'upgrade' }), cut)
  expect(steps.map(({ step, placed }) => `${step} ${placed.service.name}`)).toEqual([
    'stop page',
    'stop api',
    'stop store',
    'start store',
    'start page',
  ])
})

describe('a plan that moves state', () => {
  const component = 'store' as SnapshotMapping['component']
  const stateOf = (manifest: Manifest, name: string) => {
    const mapping = manifest.serviceMappings.find((one) => manifest.services.get(one.service)?.name === name)!
    return { mapping, service: manifest.services.get(mapping.service)!, component }
  }
  const stateful = (moves: Partial<StateMoves>) => ({
    state: { moves: [], pending: [], restoresFirst: new Set<never>(), ...moves },
  })

  test('starts nothing before the state is restored that it reaches by way of others', () => {
    const pending = [{ ...stateOf(chain, 'store'), snapshot: 'x' }]
    const plan = planned(withState(there, 'page', { doubt: 'died' }), stateful({ pending }))
    expect(edgesOf(plan)).toEqual(['deactivate page', 'restore store', 'activate page after restore store'])
  })

  test('restores no state before that is up which the service reaches', () => {
    const pending = [{ ...stateOf(chain, 'page'), snapshot: 'x' }]
    const plan = planned(withState(there, 'store', { doubt: 'died' }), stateful({ pending }))
    expect(edgesOf(plan)).toEqual(['deactivate store', 'activate store', 'restore page after activate store'])
  })

  test('stops nothing before the state is taken of what reaches it, also where nothing of that runs', () => {
    const moves = [{ from: stateOf(chain, 'page'), to: undefined }]
    const observed = withState(there, 'store', { doubt: 'died' }).filter(({ service }) => service.name !== 'page')
    expect(edgesOf(planned(observed, stateful({ moves }))).slice(0, 2)).toEqual([
      'snapshot page',
      'deactivate store after snapshot page',
    ])
  })

  test('takes the state of what does not run after everything is stopped that reaches it', () => {
    const moves = [{ from: stateOf(chain, 'store'), to: undefined }]
    const observed = withState(there, 'page', { doubt: 'died' }).filter(({ service }) => service.name !== 'store')
    expect(edgesOf(planned(observed, stateful({ moves }))).slice(0, 2)).toEqual([
      'deactivate page',
      'snapshot store after deactivate page',
    ])
  })
})

test('services that form a cycle by way of one that stays do not wait for each other', () => {
  const page = there.find(({ service }) => service.name === 'page')!
  const cycle = restarted.map((one) =>
    one.service.name === 'store' ? { ...one, service: { ...one.service, dependsOn: [page.mapping] } } : one,
  )
  const plan = planned(cycle)
  expect(plan.phases[0]?.map(({ waitsFor }) => waitsFor)).toEqual([[], []])
})
