import { expect, test } from 'vitest'

import {
  activitiesOf,
  identityOf,
  KINDS,
  observedOf,
  planRollback,
  planTransition,
  traitsOf,
} from '../src/transition.ts'
import { manifestOf, renderTransition } from './testing.ts'

const system = manifestOf({ services: { api: { on: ['n1/p'] } } })
/** Observed mappings, as recorded by a machine whose name now belongs to another machine. */
const elsewhere = observedOf(system, system.infrastructure).map((one) => ({
  ...one,
  recordedAs: { target: one.mapping.target, machine: '10.0.0.7' },
}))

test('a record of a machine that has lost its name does not count for the machine that has the name now', () => {
  const plan = planTransition(system, elsewhere, { upgrade: 'upgrade' })
  expect(renderTransition(plan, KINDS)).toBe(
    'deactivate api in p on n1@10.0.0.7 (moved to n1)\nactivate api in p on n1 (moved from n1@10.0.0.7)\n',
  )
  const [deactivation, activation] = activitiesOf(plan)
  expect(deactivation?.id).not.toBe(activation?.id.replace('activate', 'deactivate'))
  expect(deactivation).toMatchObject({ recordedAs: { target: 'n1', machine: '10.0.0.7' }, mapping: { target: 'n1' } })
  expect(deactivation?.undo).toMatchObject({ kind: 'activate', recordedAs: { target: 'n1', machine: '10.0.0.7' } })
  expect([deactivation, activation].flatMap((one) => traitsOf(KINDS, one!).lanes(one!))).toEqual(['n1@10.0.0.7', 'n1'])
})

test('both are observed at once', () => {
  const both = [...observedOf(system, system.infrastructure), ...elsewhere]
  expect(new Set(both.map(identityOf)).size).toBe(2)
  const plan = planTransition(system, both, { upgrade: 'upgrade' })
  expect(renderTransition(plan, KINDS)).toBe('deactivate api in p on n1@10.0.0.7 (removed)\n')
  const begun = new Set(activitiesOf(plan).map(({ id }) => id))
  expect(activitiesOf(planRollback(plan, begun))).toMatchObject([
    { kind: 'activate', recordedAs: { machine: '10.0.0.7' } },
  ])
})

test('services of two machines that have swapped their names stop before their dependencies', () => {
  const chain = manifestOf({
    services: { a: { on: ['n1/p'] }, b: { on: ['n2/p'], dependsOn: ['a'] }, c: { on: ['n1/p'], dependsOn: ['b'] } },
  })
  const swapped = observedOf(chain, chain.infrastructure).map((one) => {
    const { target } = one.mapping
    return { ...one, recordedAs: { target, machine: target === 'n1' ? '10.0.0.2' : '10.0.0.1' } }
  })
  const [stops = [], starts = []] = planTransition(chain, swapped, { upgrade: 'upgrade' }).phases
  const edges = (activities: typeof stops) =>
    activities.flatMap(({ service, waitsFor }) =>
      waitsFor.map((id) => `${service.name} after ${activities.find((one) => one.id === id)?.service.name}`),
    )
  expect(edges(stops).toSorted()).toEqual(['a after b', 'b after c'])
  expect(edges(starts).toSorted()).toEqual(['b after a', 'c after b'])
})
