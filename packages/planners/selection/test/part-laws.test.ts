import { createHash } from 'node:crypto'

import { encodeDocument, Manifest, type Mapping, mappingIdOf, type StorePath } from '@davit/documents'
import { observedOf, activitiesOf, planTransition, stateBetween } from '@davit/transition'
import { change, manifestOf, type SystemSpec } from '@davit/transition/testing'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import {
  instanceOf,
  isSelected,
  parseTerms,
  partOf,
  type Selection,
  selectIn,
  selectionOfTerms,
  termsOf,
} from '../src/selection.ts'

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
const TERMS = ['t0', 't1', 't?', ...NAMES].map((name) => (name.startsWith('t') ? name : `service:${name}`))
const MORE_TERMS = ['service:...b', 'service:c@t0', 'service:*@t1', 'service:...a@t0']
const terms = fc.uniqueArray(
  fc.tuple(fc.boolean(), fc.constantFrom(...TERMS, ...MORE_TERMS)).map(([isOut, term]) => (isOut ? `!${term}` : term)),
  { minLength: 1, maxLength: 4 },
)

/** Two manifests and a selection; some dependencies are connections, some services have state. */
const situation = fc
  .record({ change, terms, connected: fc.subarray(NAMES), stateful: fc.subarray(NAMES) })
  .map(({ change: { before, after }, terms: chosen, ...how }) => {
    const [current, next] = [made(before, how), made(after, how)]
    return { current, next, selection: selectIn([next, current], parseTerms(chosen)) }
  })

function made(spec: SystemSpec, how: { readonly connected: readonly string[]; readonly stateful: readonly string[] }) {
  const manifest = manifestOf(spec)
  const nameOf = (key: string) => manifest.services.get(key as never)?.name ?? ''
  const services = [...manifest.services].map(([key, { dependsOn, ...service }]) => {
    const isConnected = ({ service: other }: { readonly service: string }) => how.connected.includes(nameOf(other))
    const split = { dependsOn: dependsOn.filter((one) => !isConnected(one)), connectsTo: dependsOn.filter(isConnected) }
    return [key, { ...service, ...split }] as const
  })
  const snapshotMappings = manifest.serviceMappings
    .filter(({ service }) => how.stateful.includes(nameOf(service)))
    .map((mapping) => ({ ...mapping, component: nameOf(mapping.service) }))
  return withProfiles({ ...manifest, services: new Map(services), snapshotMappings })
}

/** Gives each target a profile that stands for what the manifest says of it. */
function withProfiles(manifest: Manifest): Manifest {
  const names = [...manifest.infrastructure.keys()]
  return {
    ...manifest,
    profiles: new Map(names.map((name) => [name, `/store/${digest(contentOf(manifest, name))}-p` as StorePath])),
  }
}

function contentOf({ services, serviceMappings, snapshotMappings }: Manifest, target: string) {
  const here = [...serviceMappings, ...snapshotMappings].filter((mapping) => mapping.target === target)
  return here.map((mapping) => JSON.stringify([mapping, services.get(mapping.service)?.connectsTo])).toSorted()
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32)
}

interface Found {
  readonly current: Manifest
  readonly next: Manifest
  readonly selection: Selection
  readonly part: Manifest
  readonly mixed: readonly string[]
}

/** Checks a property of every part that is not refused. */
function everyPart(check: (found: Found) => void): void {
  let parts = 0
  fc.assert(
    fc.property(situation, (given) => {
      const outcome = partOf(given)
      if (outcome.kind !== 'part') return
      parts += 1
      check({ ...given, part: outcome.manifest, mixed: outcome.mixed })
    }),
    { numRuns: 200 },
  )
  expect(parts).toBeGreaterThan(20)
}

/** Whether a mapping is selected. */
function isMeant(selection: Selection, manifest: Manifest, mapping: Mapping): boolean {
  const instance = instanceOf(manifest, mapping)
  return instance !== undefined && isSelected(selection, instance)
}

function idsIn(manifest: Manifest, isWanted: (mapping: Mapping) => boolean): readonly string[] {
  return manifest.serviceMappings.filter(isWanted).map(mappingIdOf).toSorted()
}

test('partOf(): the part is a valid manifest, and can be read as it was written', () =>
  everyPart(({ part }) => {
    expect(Manifest.check?.(part)).toEqual([])
    expect(() => planTransition(part, [], { upgrade: 'upgrade' })).not.toThrow()
    expect(encodeDocument(Manifest, part, 'json')).toContain('"manifest"')
  }))

test('partOf(): what is selected is as in next, and everything else as it was', () =>
  everyPart(({ current, next, selection, part }) => {
    const isIn = (manifest: Manifest) => (mapping: Mapping) => isMeant(selection, manifest, mapping)
    const isOut = (manifest: Manifest) => (mapping: Mapping) => !isMeant(selection, manifest, mapping)
    expect(idsIn(part, isIn(part))).toEqual(idsIn(next, isIn(next)))
    expect(idsIn(part, isOut(part))).toEqual(idsIn(current, isOut(current)))
    for (const mapping of part.serviceMappings) {
      const origin = isMeant(selection, part, mapping) ? next : current
      expect(part.services.get(mapping.service)).toEqual(origin.services.get(mapping.service))
    }
  }))

test('partOf(): a plan from what is there to the part touches only what is selected, and moves all of its state', () =>
  everyPart(({ current, next, selection, part }) => {
    const observed = observedOf(current, current.infrastructure)
    for (const { mapping, service } of activitiesOf(planTransition(part, observed, { upgrade: 'upgrade' }))) {
      expect(isSelected(selection, { service: service.name, target: mapping.target })).toBe(true)
    }
    const moves = (to: Manifest) =>
      stateBetween(current, to)
        .moved.filter(({ from }) => isSelected(selection, { service: from.service.name, target: from.mapping.target }))
        .map(({ from, to: goal }) => `${mappingIdOf(from.mapping)} ${mappingIdOf(goal.mapping)}`)
    expect(moves(part).length).toBe(moves(next).length)
    expect(stateBetween(current, part).moved.length).toBe(moves(part).length)
  }))

test('partOf(): a target with nothing that is selected keeps its profile, and one that is selected has that of next', () =>
  everyPart(({ current, next, selection, part, mixed }) => {
    const touched = new Set<string>([
      ...selection.whole,
      ...[...selection.instances.values()].map(({ target }) => target),
    ])
    const settled = [...part.profiles].filter(([name]) => !mixed.includes(name))
    for (const [name, path] of settled) {
      expect(path).toBe((selection.whole.has(name) ? next : current).profiles.get(name))
    }
    const whole = new Set<string>(selection.whole)
    expect(mixed.filter((name) => !touched.has(name) || whole.has(name))).toEqual([])
    // A profile that is kept says what the part says.
    const made = new Map<string, string>(withProfiles(part).profiles)
    expect(settled.map(([name]) => made.get(name))).toEqual(settled.map(([, path]) => path))
  }))

test('partOf(): the part of a part is the part, and the rest completes it', () =>
  everyPart(({ current, next, selection, part, mixed }) => {
    if (mixed.length > 0) return
    expect(partOf({ next: part, current, selection })).toMatchObject({ kind: 'part', manifest: part, mixed: [] })
    expect(partOf({ next, current: part, selection: selectIn([next, part], parseTerms(['*'])) })).toEqual({
      kind: 'part',
      manifest: next,
      mixed: [],
    })
  }))

test('partOf(): selecting everything is next, and a part in which nothing is new is what is there', () =>
  fc.assert(
    fc.property(situation, ({ current, next, selection }) => {
      const all = selectIn([next, current], parseTerms(['*']))
      expect(partOf({ current, next, selection: all })).toEqual({ kind: 'part', manifest: next, mixed: [] })
      expect(partOf({ current, next: current, selection })).toEqual({ kind: 'part', manifest: current, mixed: [] })
    }),
  ))

test('partOf(): with what a refusal names as missing, the part is not refused', () => {
  let refusals = 0
  fc.assert(
    fc.property(situation, (given) => {
      const outcome = partOf(given)
      if (outcome.kind !== 'refused') return
      refusals += 1
      expect(outcome.obstacles.length).toBeGreaterThan(0)
      expect(partOf({ ...given, selection: outcome.sufficient as Selection }).kind).toBe('part')
    }),
    { numRuns: 150 },
  )
  expect(refusals).toBeGreaterThan(15)
})

test('termsOf(): select the same again, of the manifests and of the part', () =>
  everyPart(({ current, next, selection, part }) => {
    const words = termsOf(selection)
    if (words.length === 0) return
    expect(selectIn([next, current], parseTerms(words))).toEqual(selection)
    expect(selectionOfTerms(words)).toEqual(selection)
    const again = selectIn([part, current], parseTerms(words))
    for (const manifest of [part, current]) {
      for (const mapping of manifest.serviceMappings) {
        expect(isMeant(again, manifest, mapping)).toBe(isMeant(selection, manifest, mapping))
      }
    }
  }))
