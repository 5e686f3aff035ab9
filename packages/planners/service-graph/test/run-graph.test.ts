import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { runGraph } from '../src/service-graph.ts'

test('runGraph() runs each node once, after what it needs, within its limit', async () => {
  const graph = fc.array(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 3 }), { maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(
      graph,
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 0, max: 40 }),
      async (edges, limit, broken) => {
        const nodes = new Map(
          edges.map((needs, id) => [id, { id, needs: [...new Set(needs.filter((need) => need < id))] }]),
        )
        const done = new Set<number>()
        let [now, most] = [0, 0]
        await runGraph(nodes, {
          limit,
          signal: new AbortController().signal,
          async run({ id, needs }) {
            now += 1
            most = Math.max(most, now)
            expect(needs.filter((need) => !done.has(need))).toStrictEqual([])
            await Promise.resolve()
            now -= 1
            if (id !== broken) done.add(id)
            return id !== broken
          },
        })
        expect(most).toBeLessThanOrEqual(limit)
        const reachable = [...nodes.values()].filter(
          ({ id, needs }) => id !== broken && needs.every((need) => done.has(need)),
        )
        expect(done).toStrictEqual(new Set(reachable.map(({ id }) => id)))
      },
    ),
  )
})
