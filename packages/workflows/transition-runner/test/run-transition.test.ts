import { DavitError, type ReportEvent } from '@davit/diagnostics'
import type { Manifest } from '@davit/documents'
import { type Activity, coresOf, observedOf, planTransition, KINDS } from '@davit/transition'
import { manifestOf } from '@davit/transition/testing'
import { expect, test } from 'vitest'

import { type PerformOutcome, type RunOptions, runTransition } from '../src/transition-runner.ts'

const nothing = manifestOf({ services: {} })
const chain = chainWith(1)
const newChain = chainWith(2)

test('runTransition() runs six independent services on three targets at the same time', async () => {
  const places = ['t0/p', 't0/p', 't1/p', 't1/p', 't2/p', 't2/p']
  const services = Object.fromEntries(places.map((place, index) => [`s${index}`, { on: [place] }]))
  const six = manifestOf({ services, cores: { t0: 4, t1: 4, t2: 4 } })
  const waiting: (() => void)[] = []
  const { outcome } = await deploy(nothing, six, {
    perform: async () => {
      await new Promise<void>((resolve) => {
        if (waiting.push(resolve) === 6) for (const goOn of waiting) goOn()
      })
      return { kind: 'succeeded' }
    },
  })
  expect(outcome).toEqual({ kind: 'completed' })
})

test('runTransition() runs a chain of dependencies one after the other', async () => {
  const { outcome, begun, maxParallel } = await deploy(chain, newChain)
  expect(outcome).toEqual({ kind: 'completed' })
  expect(maxParallel).toBe(1)
  expect(begun).toEqual([
    'deactivate old c',
    'deactivate old b',
    'deactivate old a',
    'activate new a',
    'activate new b',
    'activate new c',
  ])
})

test.each([
  [{ t: 1 }, 1],
  [{ t: 3 }, 3],
  [{ t: 0 }, 1],
])('runTransition() with cores %o runs at most %i at a time', async (cores, expected) => {
  const services = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`s${index}`, { on: ['t/p'] }]))
  const { maxParallel, outcome } = await deploy(nothing, manifestOf({ services, cores }))
  expect([maxParallel, outcome.kind]).toEqual([expected, 'completed'])
})

test.each([
  ['one below the other', (names: readonly string[], index: number) => names.slice(Math.max(0, index - 1), index)],
  ['beside each other', () => []],
])('runTransition() runs 10,000 services %s', async (_, dependenciesOf) => {
  const names = Array.from({ length: 10_000 }, (_, index) => `s${index}`)
  const entries = names.map((name, index) => [name, { on: ['t/p'], dependsOn: dependenciesOf(names, index) }])
  const { outcome, begun } = await deploy(nothing, manifestOf({ services: Object.fromEntries(entries) }))
  expect([outcome.kind, begun.length]).toEqual(['completed', 10_000])
})

test.each([
  {
    failing: ['deactivate old b'],
    kind: 'rolled-back',
    undo: ['activate old b', 'activate old c'],
  },
  {
    failing: ['activate new b'],
    kind: 'rolled-back',
    undo: ['deactivate new b', 'deactivate new a', 'activate old a', 'activate old b', 'activate old c'],
  },
  {
    failing: ['deactivate old b', 'activate old b'],
    kind: 'old-services-lost',
    undo: ['activate old b'],
    remaining: ['activate old b', 'activate old c'],
  },
  {
    failing: ['activate new c', 'deactivate new b'],
    kind: 'new-services-left',
    undo: ['deactivate new c', 'deactivate new b'],
    remaining: ['deactivate new b', 'deactivate new a', 'activate old a', 'activate old b', 'activate old c'],
  },
  {
    failing: ['activate new b', 'activate old b'],
    kind: 'old-services-lost',
    undo: ['deactivate new b', 'deactivate new a', 'activate old a', 'activate old b'],
    remaining: ['activate old b', 'activate old c'],
  },
])('runTransition() is $kind when these fail: $failing', async ({ failing, kind, undo, remaining = [] }) => {
  const { outcome, begun, remained } = await deploy(chain, newChain, { perform: failingAt(failing, newChain) })
  expect(outcome.kind).toBe(kind)
  expect(begun.slice(begun.indexOf(failing[0]!) + 1)).toEqual(undo)
  expect(remained).toEqual(remaining)
})

test.each([
  {
    what: 'a stop that was never begun is not undone',
    fates: { 'deactivate old b': 'not-begun' },
    kind: 'rolled-back',
    undo: ['activate old c'],
  },
  {
    what: 'a stop of which nothing is known is undone, and its service unknown when that cannot begin',
    fates: { 'deactivate old b': 'unknown', 'activate old b': 'not-begun' },
    kind: 'old-services-lost',
    undo: ['activate old b'],
    remaining: ['activate old b', 'activate old c'],
    unknown: ['activate old b'],
  },
  {
    what: 'a service is not unknown any more when its start has failed',
    fates: { 'deactivate old b': 'unknown', 'activate old b': 'failed' },
    kind: 'old-services-lost',
    undo: ['activate old b'],
    remaining: ['activate old b', 'activate old c'],
  },
  {
    what: 'an old service that cannot be started again is known to be gone',
    fates: { 'activate new b': 'failed', 'activate old a': 'not-begun' },
    kind: 'old-services-lost',
    undo: ['deactivate new b', 'deactivate new a', 'activate old a'],
    remaining: ['activate old a', 'activate old b', 'activate old c'],
  },
  {
    what: 'an old service is unknown when nothing is known of its start',
    fates: { 'activate new a': 'not-begun', 'activate old a': 'unknown' },
    kind: 'old-services-lost',
    undo: ['activate old a'],
    remaining: ['activate old a', 'activate old b', 'activate old c'],
    unknown: ['activate old a'],
  },
  {
    what: 'a new service of which nothing is known may be there',
    fates: { 'activate new b': 'unknown', 'deactivate new b': 'not-begun' },
    kind: 'new-services-left',
    undo: ['deactivate new b'],
    remaining: ['deactivate new b', 'deactivate new a', 'activate old a', 'activate old b', 'activate old c'],
    unknown: ['deactivate new b'],
  },
] as const)('runTransition() knows that $what', async ({ fates, kind, undo, ...expected }) => {
  const { remaining = [], unknown = [] } = expected as { remaining?: readonly string[]; unknown?: readonly string[] }
  const perform: Perform = async (activity) => {
    const fate = (fates as Readonly<Record<string, string>>)[labelOf(activity, newChain)] ?? 'succeeded'
    if (fate === 'unknown') throw new DavitError('connection-lost', 'lost')
    return { kind: fate, message: fate } as PerformOutcome
  }
  const { outcome, begun, remained } = await deploy(chain, newChain, { perform })
  const [failing = ''] = Object.keys(fates)
  expect(outcome.kind).toBe(kind)
  expect(begun.slice(begun.indexOf(failing) + 1)).toEqual(undo)
  expect(remained).toEqual(remaining)
  const doubtful = 'unknown' in outcome ? outcome.unknown.map((activity) => labelOf(activity, newChain)) : []
  expect(doubtful).toEqual(unknown)
})

test('runTransition() reports the log of what failed before it undoes anything, and again in the outcome', async () => {
  const { outcome, events } = await deploy(nothing, chain, { perform: failingAt(['activate new b'], chain) })
  expect(outcome).toMatchObject({
    kind: 'rolled-back',
    interrupted: false,
    failures: [{ message: 'it failed', log: 'the end of its log' }],
  })
  expect(events.map(({ kind }) => kind).join(' ')).toBe(
    'started finished started failed note started finished started finished',
  )
  const activity = { kind: 'activate', service: 'b', container: 'p' }
  const event = { target: 'u', step: 'activate b in p', activity, id: expect.stringContaining('activate u p') }
  expect(events[2]).toEqual({ kind: 'started', ...event })
  expect(events[3]).toEqual({ kind: 'failed', ...event, message: 'it failed', log: 'the end of its log' })
})

test('runTransition() starts nothing new after a failure, and undoes what ran beside it', async () => {
  const services = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, { on: [`t/${name}`] }]))
  const four = manifestOf({ services, cores: { t: 2 } })
  const { begun } = await deploy(nothing, four, { perform: failingAt(['activate new a'], four) })
  expect(begun).toEqual(['activate new a', 'activate new b', 'deactivate new b', 'deactivate new a'])
})

test('runTransition() goes on with a rollback as far as it can', async () => {
  const services = { a: { on: ['t/a'] }, b: { on: ['t/b'], dependsOn: ['a'] }, c: { on: ['t/0'] } }
  const next = manifestOf({ services: { d: { on: ['t/d'] } } })
  const perform = failingAt(['activate new d', 'activate old a'], next)
  const { outcome, begun, remained } = await deploy(manifestOf({ services }), next, { perform })
  expect(outcome).toMatchObject({ kind: 'old-services-lost', rollbackFailures: [{ message: 'it failed' }] })
  expect(begun.slice(-2)).toEqual(['activate old a', 'activate old c'])
  expect(remained).toEqual(['activate old a', 'activate old b'])
})

test('runTransition() leaves everything as it is after a failure when it is to keep it', async () => {
  const perform = failingAt(['activate new b'], chain)
  const { outcome, begun, remained } = await deploy(nothing, chain, { perform, rollback: 'keep' })
  expect(outcome).toMatchObject({ kind: 'failed', interrupted: false })
  expect(begun).toEqual(['activate new a', 'activate new b'])
  expect(remained).toEqual(['activate new b', 'activate new c'])
})

test('runTransition() treats a lost connection as a failure and keeps the error', async () => {
  const error = new DavitError('connection-lost', "lost the connection to 'u'", { exitStatus: 69 })
  const { outcome } = await deploy(nothing, chain, { perform: rejectingAt('activate new b', error) })
  expect(outcome).toMatchObject({ kind: 'rolled-back', failures: [{ message: error.message, error }] })
})

test.each([
  ['activate new b', [], ['activate new a', 'activate new b']],
  ['deactivate new b', ['activate new c'], ['activate new c', 'deactivate new c', 'deactivate new b']],
])('runTransition() does nothing more when the lock is lost at %s', async (lostAt, failing, last) => {
  const error = new DavitError('lock-lost', 'the lock was taken over', { exitStatus: 75 })
  const perform = rejectingAt(lostAt, error, failingAt(failing, chain))
  const { outcome, begun } = await deploy(nothing, chain, { perform })
  expect(outcome).toMatchObject({ kind: 'lock-lost', error })
  expect(begun.slice(-last.length)).toEqual(last)
})

test('runTransition() starts nothing more when the lock is lost and something else fails after it', async () => {
  const services = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, { on: [`t/${name}`] }]))
  const five = manifestOf({ services, cores: { t: 2 } })
  const error = new DavitError('lock-lost', 'the lock was taken over', { exitStatus: 75 })
  const perform = rejectingAt('deactivate new e', error, failingAt(['activate new e', 'deactivate new d'], five))
  const { outcome, begun } = await deploy(nothing, five, { perform })
  expect(outcome.kind).toBe('lock-lost')
  expect(begun.slice(-2)).toEqual(['deactivate new e', 'deactivate new d'])
})

test('runTransition() undoes what it did when it is interrupted', async () => {
  const interruption = new AbortController()
  const { outcome, begun } = await deploy(chain, newChain, {
    signal: interruption.signal,
    perform: async (activity) => {
      if (labelOf(activity, newChain) === 'activate new a') interruption.abort()
      return { kind: 'succeeded' }
    },
  })
  expect(outcome).toEqual({ kind: 'rolled-back', failures: [], interrupted: true })
  expect(begun.slice(4)).toEqual(['deactivate new a', 'activate old a', 'activate old b', 'activate old c'])
})

test('runTransition() starts nothing when it is interrupted before', async () => {
  const { outcome, begun, events } = await deploy(chain, newChain, { signal: AbortSignal.abort() })
  expect(outcome).toEqual({ kind: 'rolled-back', failures: [], interrupted: true })
  expect([begun, events]).toEqual([[], []])
})

test('runTransition() has completed when nothing was left to interrupt', async () => {
  expect((await deploy(chain, chain, { signal: AbortSignal.abort() })).outcome).toEqual({ kind: 'completed' })
})

function chainWith(version: number): Manifest {
  const services = {
    a: { on: ['t/p'], version },
    b: { on: ['u/p'], dependsOn: ['a'] },
    c: { on: ['t/p'], dependsOn: ['b'] },
  }
  return manifestOf({ services, cores: { t: 2, u: 2 } })
}

type Perform = RunOptions['perform']

function failingAt(labels: readonly string[], next: Manifest): Perform {
  return async (activity): Promise<PerformOutcome> => {
    if (!labels.includes(labelOf(activity, next))) return { kind: 'succeeded' }
    return { kind: 'failed', message: 'it failed', log: 'the end of its log' }
  }
}

function rejectingAt(label: string, error: Error, otherwise: Perform = failingAt([], nothing)): Perform {
  return async (activity) => {
    if (label === `${activity.kind} new ${activity.service.name}`) throw error
    return otherwise(activity)
  }
}

/** Label of an activity, such as `activate new web`, where `new` means that the service is in the next manifest. */
function labelOf({ kind, mapping, service }: Activity, next: Manifest): string {
  return `${kind} ${next.services.has(mapping.service) ? 'new' : 'old'} ${service.name}`
}

/** Transition from one manifest, all of whose services are active, to another. */
async function deploy(before: Manifest, next: Manifest, options: Partial<RunOptions> = {}) {
  const { perform = failingAt([], next), ...rest } = options
  const events: ReportEvent[] = []
  const begun: string[] = []
  let parallel = 0
  let maxParallel = 0
  const transition = planTransition(next, observedOf(before, before.infrastructure), { upgrade: 'upgrade' })
  const outcome = await runTransition(transition, {
    kinds: KINDS,
    perform: async (activity) => {
      begun.push(labelOf(activity, next))
      parallel += 1
      maxParallel = Math.max(maxParallel, parallel)
      await Promise.resolve()
      parallel -= 1
      return perform(activity)
    },
    coresOf: coresOf(next.infrastructure),
    report: (event) => events.push(event),
    signal: new AbortController().signal,
    rollback: 'rollback',
    ...rest,
  })
  const remained = 'remaining' in outcome ? outcome.remaining.map((activity) => labelOf(activity, next)) : []
  return { outcome, events, begun, remained, maxParallel }
}
