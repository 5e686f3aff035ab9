import type { Manifest, TargetName } from '@davit/documents'
import { describe, expect, test } from 'vitest'

import {
  activitiesOf,
  type ObservedMapping,
  observedOf,
  planTransition,
  type StateMoves,
  stateMovesOf,
} from '../src/transition.ts'
import { manifestOf, type ServiceSpec } from './testing.ts'

const CORES = { a: 1, b: 1, c: 1 }

/** A system in which every service has state, named like it. */
function stateful(
  services: Readonly<Record<string, ServiceSpec>>,
  cores: Readonly<Record<string, number>> = CORES,
): Manifest {
  const manifest = manifestOf({ services, cores })
  const snapshotMappings = manifest.serviceMappings.map((mapping) => ({
    ...mapping,
    component: manifest.services.get(mapping.service)?.name ?? '',
  }))
  return { ...manifest, snapshotMappings }
}

/** Records of everything in a manifest. */
function recorded(manifest: Manifest, change: Partial<ObservedMapping> = {}): readonly ObservedMapping[] {
  return observedOf(manifest, manifest.infrastructure).map((one) => ({
    ...one,
    component: one.service.name,
    ...change,
  }))
}

const db = (...on: readonly string[]) => stateful({ db: { on } })

interface Situation {
  readonly next: Manifest
  readonly observed?: readonly ObservedMapping[]
  readonly previous?: Manifest
  readonly unreachable?: readonly string[]
  readonly blank?: readonly string[]
}

function movesIn({ next, observed = [], previous, unreachable = [], blank = [] }: Situation): StateMoves {
  const named = (names: readonly string[]) => new Set(names as TargetName[])
  return stateMovesOf({ next, observed, previous, unreachable: named(unreachable), blank: named(blank) })
}

function shown({ moves, pending, fresh, skipped }: StateMoves): readonly string[] {
  const place = (one: StateMoves['moves'][number]['to']) =>
    one === undefined ? '-' : `${one.component} ${one.mapping.target}/${one.mapping.container}`
  return [
    ...moves.map(({ from, to }) => `${place(from)} > ${place(to)}`),
    ...pending.map((one) => `pending ${place(one)}`),
    ...fresh.map((one) => `fresh ${place(one)}`),
    ...skipped.map(({ message }) => message),
  ]
}

describe('state', () => {
  test.each<[string, Situation, readonly string[]]>([
    ['stays where it is', { next: db('a/c'), observed: recorded(db('a/c')), previous: db('a/c') }, []],
    [
      'is lost with the disk of its target, and its service begins anew',
      { next: db('a/c'), previous: db('a/c'), blank: ['a'] },
      ['fresh db a/c'],
    ],
    [
      'stays where its service has no record, as long as the target knows the deployment',
      { next: db('a/c'), previous: db('a/c') },
      [],
    ],
    [
      'stays when the service gets a new version',
      { next: stateful({ db: { on: ['a/c'], version: 2 } }), observed: recorded(db('a/c')), previous: db('a/c') },
      [],
    ],
    [
      'that its service has had before it moved with it stays, and is not new',
      {
        next: db('a/c'),
        observed: observedOf(db('a/c'), db('a/c').infrastructure),
        previous: manifestOf({ services: { db: { on: ['a/c'] } }, cores: CORES }),
      },
      [],
    ],
    ['begins anew with the first deployment', { next: db('a/c') }, ['fresh db a/c']],
    ['moves with its service', { next: db('b/c'), observed: recorded(db('a/c')) }, ['db a/c > db b/c']],
    ['moves to another container', { next: db('a/d'), observed: recorded(db('a/c')) }, ['db a/c > db a/d']],
    [
      'moves although nothing runs any more, as the last generation knows it',
      { next: db('b/c'), previous: db('a/c') },
      ['db a/c > db b/c'],
    ],
    [
      'has moved once the service was active there, whatever the last generation is',
      { next: db('b/c'), observed: recorded(db('b/c')), previous: db('a/c') },
      [],
    ],
    [
      'has moved once the service was active there, even if it was then cut off',
      { next: db('b/c'), observed: recorded(db('b/c'), { state: 'deactivating' }), previous: db('a/c') },
      [],
    ],
    [
      'has not moved before the service was active there',
      { next: db('b/c'), observed: recorded(db('b/c'), { state: 'activating' }), previous: db('a/c') },
      ['db a/c > db b/c'],
    ],
    [
      'is restored first if only that is missing',
      { next: db('b/c'), observed: recorded(db('b/c'), { toRestore: 'x' }), previous: db('a/c') },
      ['pending db b/c'],
    ],
    [
      'of an instance that is gone is kept, though another one has always been there',
      { next: db('b/c'), observed: recorded(db('b/c')), previous: db('a/c', 'b/c') },
      ['db a/c > -'],
    ],
    [
      'comes from where its service was last, if the last generation does not know of that',
      { next: db('a/c'), observed: recorded(db('b/c')), previous: db('a/c') },
      ['db b/c > db a/c'],
    ],
    [
      'comes from where somebody was served, not from where it was about to be',
      {
        next: db('c/c'),
        observed: recorded(db('a/c'), { toRestore: 'x' }),
        previous: db('b/c'),
      },
      ['db b/c > db c/c', 'db a/c > -'],
    ],
    ['is kept of a removed service', { next: stateful({}), observed: recorded(db('a/c')) }, ['db a/c > -']],
    [
      'of each instance moves',
      { next: db('b/c', 'c/d'), observed: recorded(db('a/c', 'a/d')) },
      ['db a/c > db b/c', 'db a/d > db c/d'],
    ],
    [
      'of an instance that leaves serves several new ones',
      { next: db('b/c', 'c/c'), observed: recorded(db('a/c')) },
      ['db a/c > db b/c', 'db a/c > db c/c'],
    ],
    [
      'of two services is swapped',
      {
        next: stateful({ one: { on: ['b/c'] }, two: { on: ['a/c'] } }),
        observed: recorded(stateful({ one: { on: ['a/c'] }, two: { on: ['b/c'] } })),
      },
      ['one a/c > one b/c', 'two b/c > two a/c'],
    ],
    [
      'on a target that is gone is skipped',
      { next: stateful({ db: { on: ['b/c'] } }, { b: 1 }), previous: db('a/c') },
      ['fresh db b/c', "Skip state of 'db' on 'a', which is no longer in the infrastructure"],
    ],
    ['on a target that is skipped is left alone', { next: db('a/c'), previous: db('a/c'), unreachable: ['a'] }, []],
  ])('%s', (_, situation, expected) => {
    expect(shown(movesIn(situation))).toEqual(expected)
  })

  test('of a service that no longer has any is left alone', () => {
    const next = { ...db('a/c'), snapshotMappings: [] }
    expect(shown(movesIn({ next, observed: recorded(db('a/c')), previous: db('a/c') }))).toEqual([])
  })

  test('cannot leave a target that is skipped', () => {
    expect(() => movesIn({ next: db('b/c'), previous: db('a/c'), unreachable: ['a'] })).toThrow(
      /^the state of 'db' is on 'a', which is skipped$/,
    )
  })
})

describe('a plan that moves state', () => {
  const system = (place: string) =>
    stateful({
      host: { on: ['a/p'] },
      db: { on: [place], dependsOn: ['host'] },
      app: { on: ['c/p'], dependsOn: ['db'] },
    })
  const before = system('a/c')
  const moved = system('b/c')
  const next = { ...moved, snapshotMappings: moved.snapshotMappings.filter(({ component }) => component === 'db') }

  function order(restoresFirst: boolean): readonly string[] {
    const observed = recorded(before).map(({ component, ...one }) => (component === 'db' ? { ...one, component } : one))
    const moves = stateMovesOf({ next, observed, previous: undefined, unreachable: new Set(), blank: new Set() })
    const to = activitiesOf(planTransition(next, observed, { upgrade: 'upgrade' })).find(
      ({ kind, service }) => kind === 'activate' && service.name === 'db',
    )
    const first = new Set(restoresFirst && to !== undefined ? [to.id.slice('activate '.length) as never] : [])
    const plan = planTransition(next, observed, { upgrade: 'upgrade', state: { ...moves, restoresFirst: first } })
    const names = new Map(activitiesOf(plan).map((one) => [one.id as string, `${one.kind} ${one.service.name}`]))
    return plan.phases.flatMap((phase) =>
      phase.map(({ id, waitsFor }) => `${names.get(id)}: ${waitsFor.map((other) => names.get(other)).join(', ')}`),
    )
  }

  test('restores after the activation, and before what depends on it', () => {
    expect(order(false)).toEqual([
      'deactivate app: ',
      'deactivate db: deactivate app',
      'snapshot db: deactivate db',
      'transfer db: ',
      'activate db: ',
      'restore db: activate db',
      'activate app: activate db, restore db',
    ])
  })

  test('restores before the activation where the module does', () => {
    expect(order(true).slice(-3)).toEqual(['restore db: ', 'activate db: restore db', 'activate app: activate db'])
  })

  test('stops what the service depends on only after the snapshot', () => {
    const gone = stateful({})
    const observed = recorded(before)
    const { moves, pending } = stateMovesOf({
      next: gone,
      observed,
      previous: before,
      unreachable: new Set(),
      blank: new Set(),
    })
    const plan = planTransition(gone, observed, {
      upgrade: 'upgrade',
      state: { moves, pending, restoresFirst: new Set() },
    })
    const host = activitiesOf(plan).find(({ kind, service }) => kind === 'deactivate' && service.name === 'host')
    expect(host?.waitsFor.map((id) => id.split(' ')[0])).toEqual(['deactivate', 'snapshot'])
  })
})
