import type { Manifest, TargetName } from '@davit/documents'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { assumedIn, inconsistenciesOf, observedOf, planTransition } from '../src/transition.ts'
import { change, manifestOf, type SystemSpec, phasesOf } from './testing.ts'

const SYSTEM: SystemSpec['services'] = {
  store: { on: ['db/process'] },
  api: { on: ['web/process'], dependsOn: ['store'] },
  page: { on: ['web/process'], dependsOn: ['api'] },
}
const system = manifestOf({ services: SYSTEM })
const changed = (difference: SystemSpec['services'], base = SYSTEM) =>
  manifestOf({ services: { ...base, ...difference } })
const only = (...names: string[]) => new Set(names as TargetName[])
const reached = (manifest: Manifest, unreachable: ReadonlySet<string>) =>
  observedOf(manifest, manifest.infrastructure).filter(({ mapping }) => !unreachable.has(mapping.target))
const told = (next: Manifest, target: string, previous?: Manifest) =>
  inconsistenciesOf(next, only(target), { previous }).map(({ message }) => message.message)

test.each<[string, Manifest, string, Manifest | undefined, readonly string[]]>([
  ['says nothing when nothing changed there', system, 'db', system, []],
  [
    'says nothing when only what is elsewhere changed',
    changed({ page: { on: ['web/process'], version: 2 } }),
    'db',
    system,
    [],
  ],
  [
    'names what is not upgraded there, and what depends on it',
    changed({ store: { on: ['db/process'], version: 2 } }),
    'db',
    system,
    ["'store' on 'db' is not upgraded", "'api' on 'web' depends on 'store' on 'db', which is missing or outdated"],
  ],
  [
    'names what may not be there when nothing is known',
    system,
    'db',
    undefined,
    ["'store' on 'db' is not activated", "'api' on 'web' depends on 'store' on 'db', which is missing or outdated"],
  ],
  [
    'names what moved away and runs twice',
    changed({ store: { on: ['web/process'] } }),
    'db',
    system,
    ["'store' on 'db' is left active, in addition to the one on 'web'"],
  ],
  [
    'names what goes on there with a dependency that is replaced',
    changed({ store: { on: ['db/process'], version: 2 } }),
    'web',
    system,
    [
      "'page' on 'web' is not upgraded",
      "'api' on 'web' is not upgraded",
      "'api' on 'web' depends on a service on 'db' that is stopped or replaced",
    ],
  ],
  ['names what should be gone', changed({ page: { on: [] } }), 'web', system, ["'page' on 'web' is left active"]],
])('inconsistenciesOf() %s', (_, next, target, previous, expected) => {
  expect(told(next, target, previous).toSorted()).toEqual(expected.toSorted())
})

test('a plan with assumed mappings leaves unreachable targets alone, and does all the rest', () => {
  fc.assert(
    fc.property(change, fc.subarray(['t0', 't1', 't2']), ({ before, after }, names) => {
      const [previous, next] = [manifestOf(before), manifestOf(after)]
      const unreachable = only(...names)
      const observed = [
        ...reached(previous, unreachable),
        ...assumedIn(next, ({ mapping }) => unreachable.has(mapping.target)),
      ]
      const { activations, deactivations } = phasesOf(planTransition(next, observed, { previous, upgrade: 'upgrade' }))
      const touched = [...activations, ...deactivations].map(({ mapping }) => mapping.target)
      expect(touched.filter((target) => unreachable.has(target))).toEqual([])
      const all = planTransition(next, observedOf(previous, previous.infrastructure), { previous, upgrade: 'upgrade' })
      const idsOf = (list: typeof activations) =>
        list.filter(({ mapping }) => !unreachable.has(mapping.target)).map(({ id }) => id)
      expect(activations.map(({ id }) => id).toSorted()).toEqual(idsOf(phasesOf(all).activations).toSorted())
      expect(deactivations.map(({ id }) => id).toSorted()).toEqual(idsOf(phasesOf(all).deactivations).toSorted())
    }),
  )
})

test('nothing is inconsistent without changes, and inconsistencies only name existing mappings', () => {
  fc.assert(
    fc.property(change, fc.subarray(['t0', 't1', 't2']), ({ before, after }, names) => {
      const [previous, next] = [manifestOf(before), manifestOf(after)]
      expect(inconsistenciesOf(previous, only(...names), { previous })).toEqual([])
      const known = [...previous.serviceMappings, ...next.serviceMappings].map((mapping) => JSON.stringify(mapping))
      for (const { mapping } of inconsistenciesOf(next, only(...names), { previous }))
        expect(known).toContain(JSON.stringify(mapping))
      expect(inconsistenciesOf(next, only(), { previous })).toEqual([])
    }),
  )
})
