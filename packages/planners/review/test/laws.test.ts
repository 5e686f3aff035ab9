import { compareServices } from '@davit/comparison'
import {
  type PlanDocument,
  PlanDocument as Plan,
  type PlanStep,
  type TargetName,
  parseDocument,
} from '@davit/documents'
import { observedOf } from '@davit/transition'
import { change, manifestOf } from '@davit/transition/testing'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { groupsOf } from '../src/by-target.ts'
import { diffLines } from '../src/diff-lines.ts'
import { encodePlan, isNothing, planDifferences, summaryOf } from '../src/review.ts'
import { rowsOf } from '../src/rows.ts'
import { longestChain } from '../src/summary.ts'
import { changeOfAll, planOf, planTo } from './plans.ts'

const T = 't' as TargetName
const ids = (steps: readonly PlanStep[]) => steps.map(({ id }) => id).toSorted()

describe('a plan', () => {
  test('is empty where nothing changes', () => {
    fc.assert(
      fc.property(change, ({ before }) => {
        const plan = planOf(before, before)
        expect([isNothing(plan), plan.steps]).toEqual([true, []])
      }),
    )
  })

  test('loses no step when it is folded or arranged by target, and shows none twice', () => {
    fc.assert(
      fc.property(change, fc.boolean(), ({ before, after }, fold) => {
        const { steps } = planOf(before, after)
        expect(ids(rowsOf(steps, { fold }).flatMap((row) => row.steps))).toEqual(ids(steps))
        const groups = groupsOf(steps, { fold })
        const shown = groups.flatMap(({ targets, rows }) =>
          targets.flatMap((target) => rows.map(({ verb, service }) => `${target} ${verb} ${service}`)),
        )
        const wanted = rowsOf(steps, { fold }).flatMap(({ targets, verb, service }) =>
          targets.map((target) => `${target} ${verb} ${service}`),
        )
        expect(shown.toSorted()).toEqual(wanted.toSorted())
      }),
    )
  })

  test('folds only steps of one service that do the same for the same reasons', () => {
    fc.assert(
      fc.property(change, ({ before, after }) => {
        for (const row of rowsOf(planOf(before, after).steps, { fold: true })) {
          expect(new Set(row.steps.map(({ service, container }) => `${service} ${container}`)).size).toBe(1)
          expect(row.steps.every(({ why }) => why.every((reason) => row.why.includes(reason)))).toBe(true)
        }
      }),
    )
  })

  test('has a longest chain, of which each step waits for the one before it, and than which none is longer', () => {
    fc.assert(
      fc.property(change, ({ before, after }) => {
        const { steps } = planOf(before, after)
        const chain = longestChain(steps)
        const unlinked = chain.filter(({ phase, waitsFor }, at) => {
          const last = chain[at - 1]
          return last?.phase === phase && !waitsFor.includes(last.id)
        })
        expect(unlinked).toEqual([])
        expect(chain).toHaveLength(depthOf(steps))
      }),
    )
  })

  test('tells of the services with steps all that differs, like a comparison of all', () => {
    fc.assert(
      fc.property(change, ({ before, after }) => {
        const plan = planOf(before, after)
        const all = compareServices({ ...plan.manifest, ...plan.before }, plan.manifest)
        const changed = all.filter(({ kind }) => kind === 'changed')
        expect(diffLines(plan).map(({ service }) => service)).toEqual(changed.map(({ service }) => service))
      }),
    )
  })

  test('is the same after it was saved and read', () => {
    fc.assert(
      fc.property(change, ({ before, after }) => {
        const plan = planOf(before, after)
        const read = parseDocument(Plan, encodePlan(plan), { file: 'plan' })
        expect(read).toEqual(plan)
        expect(encodePlan(read)).toBe(encodePlan(plan))
      }),
    )
  })
})

/** Number of steps that cannot be done at once, found in another way: by removing what waits for nothing, again and again. */
function depthOf(steps: readonly PlanStep[]): number {
  let [left, depth] = [steps, 0]
  while (left.length > 0) {
    const phase = Math.min(...left.map((step) => step.phase))
    const here = new Set(left.filter((step) => step.phase === phase).map(({ id }) => id))
    left = left.filter((step) => !here.has(step.id) || step.waitsFor.some((id) => here.has(id)))
    depth += 1
  }
  return depth
}

describe('planDifferences()', () => {
  test('finds none between equal plans, and some wherever the steps differ', () => {
    fc.assert(
      fc.property(change, change, (one, other) => {
        const [next, before, now] = [manifestOf(one.after), manifestOf(one.before), manifestOf(other.before)]
        const saved = planTo(next, before)
        const anew = planTo(next, before, { observed: () => observedOf(now, now.infrastructure) })
        expect(planDifferences(saved, planTo(next, before))).toEqual([])
        const isSame = JSON.stringify(essence(saved)) === JSON.stringify(essence(anew))
        expect(planDifferences(saved, anew).length === 0).toBe(isSame)
      }),
    )
  })

  test('tells of another order only where all else is the same', () => {
    const chain = (dependsOn: readonly string[]) =>
      planOf({ services: {} }, { services: { api: { on: ['t/process'] }, web: { on: ['t/process'], dependsOn } } })
    const free = chain(['api'])
    const bound = { ...free, steps: free.steps.map((step) => ({ ...step, waitsFor: [] })) }
    expect(planDifferences(bound, free)).toEqual(['to be done in another order: activate web in process on t (new)'])
    const elsewhere = { ...bound, steps: bound.steps.filter(({ service }) => service === 'web') }
    expect(planDifferences(elsewhere, free)).toEqual(['also to be done: activate api in process on t (new)'])
  })

  test('tells what was, what is, and what is done with another record', () => {
    const systems = {
      before: { services: { web: { on: ['t/process'] } } },
      after: { services: { api: { on: ['t/process'] } } },
    }
    const planned = (recorded: string) =>
      planOf(systems.before, systems.after, {
        recordedOf: ({ kind }) => (kind === 'deactivate' ? recorded : undefined),
      })
    expect(planDifferences(planned('one'), planned('other'))).toEqual([
      'recorded with other settings: deactivate web in process on t (removed)',
    ])
    expect(planDifferences(planned('one'), planOf(systems.after, systems.after))).toEqual([
      'no longer to be done: deactivate web in process on t (removed)',
      'no longer to be done: activate api in process on t (new)',
    ])
    expect(planDifferences(planOf(systems.after, systems.after), planned('one'))).toEqual([
      'also to be done: deactivate web in process on t (removed)',
      'also to be done: activate api in process on t (new)',
    ])
  })
})

function essence({ steps }: PlanDocument) {
  return steps.map(({ id, phase, waitsFor }) => JSON.stringify([id, phase, waitsFor.toSorted()])).toSorted()
}

test('planDocument() names the profiles that change, and leaves out details of the way', () => {
  const messages = (['note', 'detail'] as const).map(
    (kind) => ({ kind, code: kind, message: kind, target: 't', fields: {} }) as never,
  )
  const manifestWith = (ofT: string) => ({
    ...manifestOf({ services: { web: { on: ['t/process'] }, api: { on: ['u/process'] } } }),
    profiles: new Map([
      ['t', ofT],
      ['u', '/same'],
    ]) as never,
  })
  const plan = planTo(manifestWith('/next'), manifestWith('/before'), { messages })
  expect([plan.profiles, plan.messages]).toEqual([
    ['t'],
    [{ kind: 'note', code: 'note', message: 'note', target: 't' }],
  ])
})

test.each<[string, Partial<PlanDocument>, boolean]>([
  ['nothing', {}, true],
  ['a profile', { profiles: [T] }, false],
  ['packages', { transfers: [{ target: T, paths: 1, bytes: 1 }] }, false],
])('a plan in which %s changes', (_, changes, expected) => {
  const same = planOf({ services: {} }, { services: {} }, { transfers: [] })
  expect(isNothing({ ...same, ...changes })).toBe(expected)
})

test('summaryOf() counts what is done', () => {
  expect(summaryOf(changeOfAll())).toMatchObject({
    activate: 2,
    replace: 5,
    restart: 5,
    deactivate: 2,
    moveState: 0,
    targets: 5,
    transfers: { targets: 2, paths: 5, bytes: 42_345_678 },
  })
})
