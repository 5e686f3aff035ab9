import { mappingIdOf } from '@davit/documents'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { activitiesOf, type ObservedMapping, observedOf, planTransition, wayBack } from '../src/transition.ts'
import { change, manifestOf } from './testing.ts'
import { closureOf } from '@davit/service-graph'

const STATES = ['active', 'active', 'active', 'activating', 'deactivating'] as const

/** A transition from what is left of a system to another one, and the first of its activities that took effect. */
const situation = fc.record({
  change,
  states: fc.infiniteStream(fc.constantFrom<ObservedMapping['state']>(...STATES)),
  upgrade: fc.constantFrom('upgrade', 'activate-only'),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  isRestarted: fc.boolean(),
})

type Situation = typeof situation extends fc.Arbitrary<infer One> ? One : never

function everyWay(check: (way: ReturnType<typeof wayOf>) => void): void {
  fc.assert(fc.property(situation.map(wayOf), check))
}

function wayOf({ change: { before, after }, states, upgrade, share, isRestarted }: Situation) {
  const [old, next] = [manifestOf(before), manifestOf(after)]
  const all = observedOf(old, old.infrastructure)
  const observed = all.map((one) => ({ ...one, state: states.next().value ?? 'active' }))
  const transition = planTransition(next, observed, { upgrade })
  const activities = activitiesOf(transition)
  const done = activities.slice(0, Math.round(share * activities.length))
  /** What is recorded as active, and whether it was started before the transition. */
  const running = new Map<string, 'before' | 'since'>()
  for (const { state, mapping } of observed) if (state === 'active') running.set(mappingIdOf(mapping), 'before')
  for (const { kind, mapping } of done) {
    if (kind === 'activate') running.set(mappingIdOf(mapping), 'since')
    else running.delete(mappingIdOf(mapping))
  }
  // After a restart of the machine nothing is as it was, but its records are there.
  if (isRestarted) for (const id of running.keys()) running.set(id, 'since')
  return { observed, transition, running }
}

/** Goes back as a target does: what is as it was is left alone. */
function gone({ observed, transition, running }: ReturnType<typeof wayOf>) {
  const now = new Map(running)
  const steps: { step: 'stop' | 'start'; id: string; dependsOn: readonly string[] }[] = []
  const way = wayBack(transition, observed)
  const dependencies = new Map(way.map(({ id, placed }) => [id, placed.service.dependsOn.map(mappingIdOf)]))
  for (const { step, id, placed } of way) {
    if (now.get(id) === 'before') continue
    if (step === 'stop' ? now.delete(id) : !now.has(id) && now.set(id, 'since')) {
      steps.push({
        step,
        id,
        dependsOn: [...closureOf(placed.service.dependsOn.map(mappingIdOf), (other) => dependencies.get(other) ?? [])],
      })
    }
  }
  return { now, steps }
}

test('wayBack(): leads from anywhere within a transition, and after a restart, to exactly what was active', () =>
  everyWay((way) => {
    const active = way.observed.filter(({ state }) => state === 'active').map(({ mapping }) => mappingIdOf(mapping))
    expect([...gone(way).now.keys()].toSorted()).toEqual(active.toSorted())
  }))

test('wayBack(): stops dependants before what they depend on, and starts them after it', () =>
  everyWay((way) => {
    const { steps } = gone(way)
    const starts = steps.filter(({ step }) => step === 'start')
    const place = new Map(starts.map(({ id }, index) => [id, index]))
    starts.forEach(({ dependsOn }, index) => {
      for (const other of dependsOn) expect(place.get(other) ?? -1).toBeLessThan(index)
    })
    const before = new Set(way.observed.map(({ mapping }) => mappingIdOf(mapping)))
    for (const isOld of [false, true]) {
      const stops = steps.filter(({ step, id }) => step === 'stop' && before.has(id as never) === isOld)
      const stopped = new Map(stops.map(({ id }, index) => [id, index]))
      stops.forEach(({ dependsOn }, index) => {
        for (const other of dependsOn) expect(stopped.get(other) ?? Infinity).toBeGreaterThan(index)
      })
    }
  }))

test('wayBack(): starts nothing before everything is stopped, and stops new services first', () =>
  everyWay(({ observed, transition }) => {
    const before = new Set(observed.map(({ mapping }) => mappingIdOf(mapping)))
    const ranks = wayBack(transition, observed).map(({ step, id }) => (step === 'start' ? 2 : before.has(id) ? 1 : 0))
    expect(ranks).toEqual(ranks.toSorted((left, right) => left - right))
  }))
