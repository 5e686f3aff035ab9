import { type Manifest, type MappingId, mappingIdOf } from '@davit/documents'
import { closureOf } from '@davit/service-graph'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import {
  type Activity,
  coresOf,
  type Doubt,
  isEmpty,
  type ObservedMapping,
  observedOf,
  planRollback,
  planTransition,
  type Transition,
  KINDS,
  activitiesOf,
} from '../src/transition.ts'
import { type Change, change, manifestOf, phasesOf, renderTransition } from './testing.ts'

const DOUBTS = ['died', 'rebooted', 'damaged'] as const
type State = ObservedMapping['state'] | Doubt | 'gone' | 'changed'

/** Two systems, and what time, or a crash on the way from the first to the second or to a third, might have left of the first. */
const situation = fc.record({
  change,
  states: fc.infiniteStream(
    fc.constantFrom<State>('active', 'active', 'active', 'activating', 'deactivating', 'gone', ...DOUBTS, 'changed'),
  ),
  upgrade: fc.constantFrom('upgrade', 'activate-only'),
  changed: fc.constantFrom('keep', 'restart'),
})

test('planTransition(): applied to what is observed, the plan leads to the next manifest', () =>
  everyPlan(({ observed, next, transition, upgrade }) => {
    const reached = new Set(
      observed.filter(({ state }) => state === 'active').map(({ mapping }) => mappingIdOf(mapping)),
    )
    for (const { mapping } of phasesOf(transition).deactivations) reached.delete(mappingIdOf(mapping))
    for (const { mapping } of phasesOf(transition).activations) {
      expect(reached).not.toContain(mappingIdOf(mapping))
      reached.add(mappingIdOf(mapping))
    }
    const wanted = next.serviceMappings.map(mappingIdOf)
    const kept = observed.filter(({ state }) => upgrade === 'activate-only' && state === 'active')
    expect(sorted(reached)).toEqual(sorted(new Set([...wanted, ...kept.map(({ mapping }) => mappingIdOf(mapping))])))
  }))

test('planTransition(): there is nothing to do where next is active', () =>
  everyPlan(({ next }) => {
    const transition = planTransition(next, observedOf(next, next.infrastructure), {
      upgrade: 'upgrade',
      previous: next,
    })
    expect(isEmpty(transition)).toBe(true)
    expect(renderTransition(transition, KINDS)).toBe('nothing to do\n')
  }))

test('planTransition(): what an activity waits for comes before it, and is in the same phase', () =>
  everyPlan(({ transition }) => {
    expectOrdered(phasesOf(transition).deactivations)
    expectOrdered(phasesOf(transition).activations)
  }))

test('planTransition(): nothing starts before, or stops after, anything that it reaches', () =>
  everyPlan(({ transition, observed, next }) => {
    const reaches = reachIn(observed, next)
    const { deactivations, activations } = phasesOf(transition)
    expect(pairsAwaited(activations)).toEqual(pairsOf(activations, (one, other) => reaches(one, other)))
    expect(pairsAwaited(deactivations)).toEqual(pairsOf(deactivations, (one, other) => reaches(other, one)))
  }))

test('planTransition(): nothing starts before, or stops after, anything that it reaches, in no rollback', () =>
  everyPlan(({ transition, observed, next }) => {
    const reaches = reachIn(observed, next)
    const all = activitiesOf(transition).map(({ id }) => id)
    for (const count of [all.length, Math.ceil(all.length / 2), Math.ceil(all.length / 3)]) {
      const { deactivations, activations } = phasesOf(planRollback(transition, new Set(all.slice(0, count))))
      expect(pairsAwaited(activations)).toEqual(pairsOf(activations, (one, other) => reaches(one, other)))
      expect(pairsAwaited(deactivations)).toEqual(pairsOf(deactivations, (one, other) => reaches(other, one)))
    }
  }))

test('planTransition(): active and wanted mappings without trouble are left alone', () =>
  everyPlan(({ observed, next, transition, changed }) => {
    const wanted = new Set(next.serviceMappings.map(mappingIdOf))
    const touched = new Set(activitiesOf(transition).map(({ mapping }) => mappingIdOf(mapping)))
    for (const { mapping, state, doubt, changes } of observed.filter((one) => wanted.has(mappingIdOf(one.mapping)))) {
      const isRestarted = changes !== undefined && changed === 'restart'
      expect(touched.has(mappingIdOf(mapping))).toBe(state !== 'active' || doubt !== undefined || isRestarted)
    }
  }))

test('planTransition(): exactly the mappings that stay active with changed settings are outdated', () =>
  everyPlan(({ observed, next, transition, changed }) => {
    const wanted = new Set(next.serviceMappings.map(mappingIdOf))
    const outdated = observed.filter(
      ({ mapping, changes }) => changes !== undefined && wanted.has(mappingIdOf(mapping)),
    )
    expect(sorted(transition.outdated.map(({ mapping }) => mappingIdOf(mapping)))).toEqual(
      changed === 'restart' ? [] : sorted(outdated.map(({ mapping }) => mappingIdOf(mapping))),
    )
  }))

test('planTransition(): a repair plans only restarts, and starts the missing dependencies of these', () =>
  everyPlan(({ observed, next, changed, previous }) => {
    const full = planTransition(next, observed, { upgrade: 'activate-only', changed, previous })
    const repair = planTransition(next, observed, { upgrade: 'repair', changed, previous })
    expect(phasesOf(repair).deactivations.map(({ id }) => id)).toEqual(phasesOf(full).deactivations.map(({ id }) => id))
    const restarted = new Set(phasesOf(repair).deactivations.map(({ mapping }) => mappingIdOf(mapping)))
    const reaches = reachIn(observed, next)
    const isNeeded = (id: MappingId) => [...restarted].some((one) => reaches(one, id))
    const begun = new Set(phasesOf(repair).activations.map(({ mapping }) => mappingIdOf(mapping)))
    for (const id of restarted) expect(begun).toContain(id)
    for (const id of begun) expect(restarted.has(id) || isNeeded(id)).toBe(true)
    for (const { id, waitsFor } of phasesOf(repair).activations) {
      expect(waitsFor).toEqual(phasesOf(full).activations.find((other) => other.id === id)?.waitsFor)
    }
    expectOrdered(phasesOf(repair).activations)
  }))

test('planTransition(): the last generation changes reasons only', () =>
  everyPlan(({ observed, next, upgrade, changed, transition }) => {
    const withoutReasons = (plan: Transition) => activitiesOf(plan).map((activity) => ({ ...activity, reasons: [] }))
    expect(withoutReasons(planTransition(next, observed, { upgrade, changed }))).toEqual(withoutReasons(transition))
  }))

test('planTransition(): every activity has a reason, and a line that names it', () =>
  everyPlan(({ transition }) => {
    const activities = activitiesOf(transition)
    for (const { reasons } of activities) expect(reasons).not.toEqual([])
    const lines = renderTransition(transition, KINDS).trimEnd().split('\n')
    expect(lines).toHaveLength(Math.max(1, activities.length) + transition.skipped.length + transition.outdated.length)
  }))

test('planTransition(): the order of the records does not matter', () =>
  everyPlan(({ observed, next, previous, upgrade, changed, transition }) => {
    expect(planTransition(next, observed.toReversed(), { upgrade, changed, previous })).toEqual(transition)
  }))

test('planTransition(): the rollback of everything is the transition in reverse, without what was cut off', () =>
  everyPlan(({ transition, observed }) => {
    const all = new Set(activitiesOf(transition).map(({ id }) => id))
    const { deactivations, activations } = phasesOf(planRollback(transition, all))
    expectOrdered(deactivations)
    expectOrdered(activations)
    expect(deactivations.map(({ mapping }) => mapping)).toEqual(
      phasesOf(transition)
        .activations.map(({ mapping }) => mapping)
        .reverse(),
    )
    const whole = observed
      .filter(({ state, doubt }) => state === 'active' && doubt !== 'damaged')
      .map(({ mapping }) => mapping)
    expect(activations.map(({ mapping }) => mapping)).toEqual(
      phasesOf(transition)
        .deactivations.map(({ mapping }) => mapping)
        .filter((mapping) => whole.includes(mapping))
        .reverse(),
    )
  }))

test('planTransition(): a rollback undoes exactly what was begun', () =>
  everyPlan(({ transition }) => {
    const begun = phasesOf(transition).activations.filter((_, index) => index % 2 === 0)
    const { deactivations, activations } = phasesOf(planRollback(transition, new Set(begun.map(({ id }) => id))))
    expect(activations).toEqual([])
    expect(sorted(deactivations.map(({ mapping }) => mappingIdOf(mapping)))).toEqual(
      sorted(begun.map(({ mapping }) => mappingIdOf(mapping))),
    )
    expectOrdered(deactivations)
  }))

test('coresOf() knows the infrastructure, and one core for other targets', () => {
  const cores = coresOf(manifestOf({ services: {}, cores: { t: 4 } }).infrastructure)
  const [t, other] = ['t', 'other'].map((target) => cores(target))
  expect([t, other]).toEqual([4, 1])
})

interface Planned {
  readonly observed: readonly ObservedMapping[]
  readonly next: Manifest
  readonly previous: Manifest
  readonly upgrade: 'upgrade' | 'activate-only'
  readonly changed: 'keep' | 'restart'
  readonly transition: Transition
}

function everyPlan(holds: (planned: Planned) => void): void {
  fc.assert(fc.property(situation, ({ change, states, ...options }) => holds(planned(change, states, options))))
}

function planned(
  { before, after }: Change,
  states: Iterable<State>,
  options: Pick<Planned, 'upgrade' | 'changed'>,
): Planned {
  const [previous, next] = [manifestOf(before), manifestOf(after)]
  const stream = states[Symbol.iterator]()
  const observed = observedOf(previous, previous.infrastructure).flatMap((one): ObservedMapping[] => {
    const state: State = stream.next().value
    if (state === 'gone') return []
    if (state === 'changed') return [{ ...one, changes: [{ kind: 'changed-module' }] }]
    return [isDoubt(state) ? { ...one, doubt: state } : { ...one, state }]
  })
  return { observed, next, previous, ...options, transition: planTransition(next, observed, { previous, ...options }) }
}

function isDoubt(state: State): state is Doubt {
  return DOUBTS.some((doubt) => doubt === state)
}

function expectOrdered(activities: readonly Activity[]): void {
  const seen = new Set<string>()
  for (const { id, waitsFor } of activities) {
    for (const other of waitsFor) expect(seen).toContain(other)
    seen.add(id)
  }
}

/** Returns whether one service depends on another one, directly or by way of others that are there or wanted. */
function reachIn(observed: readonly ObservedMapping[], next: Manifest) {
  const wanted = next.serviceMappings.map((mapping) => ({ mapping, service: next.services.get(mapping.service) }))
  const dependencies = new Map(
    [...observed, ...wanted].map(({ mapping, service }) => [
      mappingIdOf(mapping),
      (service?.dependsOn ?? []).map(mappingIdOf),
    ]),
  )
  const reached = new Map<MappingId, ReadonlySet<MappingId>>()
  const reachedFrom = (id: MappingId): ReadonlySet<MappingId> => {
    const known = reached.get(id)
    if (known !== undefined) return known
    const direct = dependencies.get(id) ?? []
    const all = new Set(direct.flatMap((other) => [other, ...reachedFrom(other)]))
    reached.set(id, all)
    return all
  }
  return (one: MappingId, other: MappingId): boolean => reachedFrom(one).has(other)
}

/** The pairs of activities for whose mappings something holds. */
function pairsOf(activities: readonly Activity[], holds: (one: MappingId, other: MappingId) => boolean): string[] {
  return activities
    .flatMap((one) =>
      activities
        .filter((other) => holds(mappingIdOf(one.mapping), mappingIdOf(other.mapping)))
        .map((other) => `${one.id} after ${other.id}`),
    )
    .sort()
}

/** The pairs of activities where one waits for the other, directly or by way of others. */
function pairsAwaited(activities: readonly Activity[]): string[] {
  const awaited = new Map<string, readonly string[]>(activities.map(({ id, waitsFor }) => [id, waitsFor]))
  return activities
    .flatMap(({ id }) =>
      [...closureOf(awaited.get(id) ?? [], (other) => awaited.get(other) ?? [])].map((other) => `${id} after ${other}`),
    )
    .sort()
}

function sorted(ids: Iterable<string>): string[] {
  return [...ids].sort()
}
