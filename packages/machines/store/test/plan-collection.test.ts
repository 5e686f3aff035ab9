import type { StorePath } from '@davit/documents'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { planCollection } from '../src/store.ts'
import type { CollectablePath } from '../src/native/plan-collection.ts'

const pathOf = (index: number) => `/store/${String(index).padStart(32, '0')}-p` as StorePath

interface Graph {
  readonly valid: readonly CollectablePath[]
  readonly roots: readonly StorePath[]
  readonly outputs: ReadonlyMap<StorePath, readonly StorePath[]>
}

/** Paths refer to those before them and to themselves; roots and outputs may be none of them. */
const graphs: fc.Arbitrary<Graph> = fc.integer({ min: 0, max: 40 }).chain((count) => {
  const some = fc.array(fc.nat({ max: count + 2 }), { maxLength: 5 })
  const entries = Array.from({ length: count }, (_, index) =>
    fc.record({
      references: fc.array(fc.nat({ max: index }), { maxLength: 4 }),
      deriver: fc.option(fc.nat({ max: count }), { nil: undefined, freq: 3 }),
      outputs: fc.oneof({ weight: 3, arbitrary: fc.constant<number[]>([]) }, some),
    }),
  )
  return fc.record({ roots: some, entries: fc.tuple(...entries) }).map(({ roots, entries: all }) => ({
    valid: all.map(({ references, deriver }, index) => ({
      path: pathOf(index),
      references: references.map(pathOf),
      ...(deriver === undefined ? {} : { deriver: pathOf(deriver) }),
    })),
    roots: roots.map(pathOf),
    outputs: new Map(all.map(({ outputs }, index) => [pathOf(index), outputs.map(pathOf)])),
  }))
})

/** Live paths by definition: repeats single steps until nothing is added. */
function needed({ valid, roots, outputs }: Graph): ReadonlySet<StorePath> {
  const all = new Set(valid.map(({ path }) => path))
  const live = new Set(roots.filter((root) => all.has(root)))
  for (let size = -1; size !== live.size;) {
    size = live.size
    const reached = valid.filter(({ path, deriver }) => live.has(path) || (deriver !== undefined && live.has(deriver)))
    const next = reached.flatMap(({ path, references }) => [path, ...references, ...(outputs.get(path) ?? [])])
    for (const path of next.filter((one) => all.has(one))) live.add(path)
  }
  return live
}

const plan = ({ valid, roots, outputs }: Graph) =>
  planCollection(valid, { roots, outputsOf: (path) => outputs.get(path) ?? [] })

describe('planCollection()', () => {
  test('leaves what the roots need, and nothing else', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const live = needed(graph)
        const dead = graph.valid.map(({ path }) => path).filter((path) => !live.has(path))
        expect([...plan(graph)].toSorted()).toEqual(dead.toSorted())
      }),
    )
  })

  test('whatever part of it was removed, no path lacks what it refers to', () => {
    fc.assert(
      fc.property(graphs, fc.nat({ max: 40 }), (graph, done) => {
        const removed = new Set(plan(graph).slice(0, done))
        const left = graph.valid.filter(({ path }) => !removed.has(path))
        expect(left.flatMap(({ references }) => references).filter((one) => removed.has(one))).toEqual([])
      }),
    )
  })

  test('nothing is left to remove afterwards', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const removed = new Set(plan(graph))
        expect(plan({ ...graph, valid: graph.valid.filter(({ path }) => !removed.has(path)) })).toEqual([])
      }),
    )
  })

  test('records that refer to each other in a circle go as well', () => {
    const [a, b] = [pathOf(1), pathOf(2)] as const
    const valid = [
      { path: a, references: [b] },
      { path: b, references: [a] },
    ]
    expect(planCollection(valid, { roots: [], outputsOf: () => [] })).toHaveLength(2)
    expect(planCollection(valid, { roots: [b], outputsOf: () => [] })).toEqual([])
  })

  test('a deep graph costs no stack', () => {
    const valid = Array.from({ length: 50_000 }, (_, index) => ({
      path: pathOf(index),
      references: index === 0 ? [] : [pathOf(index - 1)],
    }))
    expect(planCollection(valid, { roots: [], outputsOf: () => [] })[0]).toBe(pathOf(49_999))
    expect(planCollection(valid, { roots: [pathOf(49_999)], outputsOf: () => [] })).toEqual([])
  })
})
