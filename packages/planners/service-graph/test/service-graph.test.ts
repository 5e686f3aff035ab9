import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { closureOf, cyclesOf, dependenciesFirst, isAcyclic, stronglyConnectedComponents } from '../src/service-graph.ts'

/** Edges written as `'a b'`: a depends on b. */
function graph(...edges: readonly string[]): (node: string) => string[] {
  return (node) => edges.map((edge) => edge.split(' ')).flatMap(([from, to = '']) => (from === node ? [to] : []))
}

const NODES = Array.from({ length: 12 }, (_, index) => `n${index}`)
const anyEdge = fc.tuple(fc.nat(11), fc.nat(11)).filter(([from, to]) => from !== to)
const anyAcyclicGraph = fc
  .array(anyEdge, { maxLength: 30 })
  .map((edges) => graph(...edges.map(([from, to]) => `n${Math.min(from, to)} n${Math.max(from, to)}`)))
const anyGraph = fc
  .array(fc.tuple(fc.constantFrom(...NODES), fc.constantFrom(...NODES)), { maxLength: 30 })
  .map((edges) => graph(...edges.map((edge) => edge.join(' '))))

test.each([
  ['a chain', ['a b', 'b c'], ['c', 'b', 'a']],
  ['a diamond', ['a b', 'a c', 'b d', 'c d'], ['d', 'b', 'c', 'a']],
  ['nodes that are not listed', ['a x'], ['x', 'a', 'b', 'c', 'd']],
])('dependenciesFirst() orders %s', (_, edges, expected) => {
  const nodes = ['a', 'b', 'c', 'd'].filter((node) => expected.includes(node))
  expect(dependenciesFirst(nodes, graph(...edges))).toEqual({ kind: 'ordered', nodes: expected })
})

test.each([
  ['a self-loop', ['a a'], [['a', 'a']]],
  ['two nodes', ['a b', 'b a'], [['a', 'b', 'a']]],
  ['the shortest way', ['a b', 'b c', 'c a', 'b a'], [['a', 'b', 'a']]],
  [
    'each group once',
    ['a b', 'b a', 'c d', 'd c', 'b c'],
    [
      ['c', 'd', 'c'],
      ['a', 'b', 'a'],
    ],
  ],
  ['no acyclic part', ['a b', 'b c', 'c b'], [['b', 'c', 'b']]],
])('cyclesOf() finds %s', (_, edges, expected) => {
  expect(cyclesOf(['a', 'b', 'c', 'd'], graph(...edges))).toEqual(expected)
})

test('dependenciesFirst() puts every node behind its dependencies', () => {
  fc.assert(
    fc.property(anyAcyclicGraph, (edgesOf) => {
      const order = dependenciesFirst(NODES, edgesOf)
      const nodes = order.kind === 'ordered' ? order.nodes : []
      expect([...nodes].sort()).toEqual([...NODES].sort())
      const position = new Map(nodes.map((node, index) => [node, index]))
      for (const node of NODES) {
        for (const next of edgesOf(node)) expect(position.get(next)).toBeLessThan(position.get(node) ?? -1)
      }
    }),
  )
})

test('cyclesOf() gives ways along edges from a node to itself, for each group that has one', () => {
  fc.assert(
    fc.property(anyGraph, (edgesOf) => {
      const cycles = cyclesOf(NODES, edgesOf)
      for (const cycle of cycles) {
        expect(cycle.at(-1)).toBe(cycle[0])
        cycle.slice(1).forEach((node, index) => expect(edgesOf(cycle[index] ?? '')).toContain(node))
      }
      const isCyclic = (group: readonly string[]) =>
        group.length > 1 || group.some((node) => edgesOf(node).includes(node))
      expect(cycles).toHaveLength(stronglyConnectedComponents(NODES, edgesOf).filter(isCyclic).length)
    }),
  )
})

test('isAcyclic() tells whether cyclesOf() finds none', () => {
  const graphs = fc.oneof(anyAcyclicGraph, anyGraph)
  fc.assert(
    fc.property(graphs, (edgesOf) => {
      const edges = NODES.map((node) => edgesOf(node).map((other) => NODES.indexOf(other)))
      expect(isAcyclic(edges)).toBe(cyclesOf(NODES, edgesOf).length === 0)
    }),
  )
})

test('stronglyConnectedComponents() groups exactly the nodes that reach each other', () => {
  fc.assert(
    fc.property(anyGraph, (edgesOf) => {
      const closures = new Map(NODES.map((node) => [node, closureOf([node], edgesOf)]))
      const groupOf = new Map(
        stronglyConnectedComponents(NODES, edgesOf).flatMap((group, index) => group.map((node) => [node, index])),
      )
      for (const left of NODES) {
        for (const right of NODES) {
          const mutual = closures.get(left)?.has(right) && closures.get(right)?.has(left)
          expect(groupOf.get(left) === groupOf.get(right)).toBe(mutual)
        }
      }
    }),
  )
})

test('a chain of 100,000 nodes overflows nothing, and every edge is asked for once', () => {
  const length = 100_000
  let asked = 0
  const edgesOf = (node: number) => {
    asked += 1
    return node + 1 < length ? [node + 1] : []
  }
  const nodes = Array.from({ length }, (_, index) => index)
  expect(stronglyConnectedComponents(nodes, edgesOf)).toHaveLength(length)
  expect(asked).toBe(length)
  const order = dependenciesFirst(nodes, edgesOf)
  expect(order.kind === 'ordered' && order.nodes[0]).toBe(length - 1)
  expect(closureOf([0], edgesOf).size).toBe(length)
})

test('a cycle of 100,000 nodes is found', () => {
  const length = 100_000
  const [cycle] = cyclesOf([0], (node) => [(node + 1) % length])
  expect(cycle).toHaveLength(length + 1)
})
