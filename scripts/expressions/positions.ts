import type { CharSet } from 'refa'
import type { Automaton } from './automaton.ts'

/** A character that an expression consumes somewhere, and what may follow it. */
export interface Position {
  /** Kinds of characters that it takes, as bits. */
  readonly kinds: bigint
  /** Positions that may follow. */
  readonly next: readonly Edge[]
  /** Whether the expression may end here, whatever follows. */
  readonly ends: boolean
}

export interface Edge {
  readonly to: number
  /** Whether there are several ways to it, between which a failure has the engine go through all. */
  readonly several: boolean
}

export interface Positions {
  readonly positions: readonly Position[]
  /** Where a match begins. */
  readonly first: readonly Edge[]
  /** A character of each kind. */
  readonly characters: readonly string[]
}

export function positionsOf({ nodes, start, accept }: Automaton): Positions {
  const consuming = nodes.flatMap(({ set }, node) => (set === undefined || set.isEmpty ? [] : [node]))
  const indexOf = new Map(consuming.map((node, index) => [node, index]))
  const follow = (node: number) => followersOf(nodes, node, accept)
  const edges = (reached: ReadonlyMap<number, number>): readonly Edge[] =>
    [...reached].flatMap(([node, count]) => {
      const to = indexOf.get(node)
      return to === undefined ? [] : [{ to, several: count > 1 }]
    })
  const sets = consuming.flatMap((node) => nodes[node]?.set ?? [])
  const { masks, characters } = kindsOf(sets)
  const positions = consuming.map((node, index) => {
    const { reached, ends } = follow(node)
    return { kinds: masks[index] ?? 0n, next: edges(reached), ends }
  })
  return { positions, first: edges(follow(start).reached), characters }
}

/** Follows what consumes nothing. Passing a node for the third time would only find what is known to have several ways. */
function followersOf(nodes: Automaton['nodes'], from: number, accept: number) {
  const visits = new Map<number, number>()
  const reached = new Map<number, number>()
  let ends = false
  const visit = (node: number, isFree: boolean): void => {
    const count = visits.get(node) ?? 0
    if (count > 1) return
    visits.set(node, count + 1)
    if (node === accept) ends ||= isFree
    if (nodes[node]?.set !== undefined) reached.set(node, count + 1)
    else go(node, isFree)
  }
  const go = (node: number, isFree: boolean): void => {
    for (const { to, asserts } of nodes[node]?.next ?? []) visit(to, isFree && !asserts)
  }
  go(from, true)
  return { reached, ends }
}

/** Divides all characters into kinds that the sets do not tell apart. */
function kindsOf(sets: readonly CharSet[]) {
  const edges = new Set(sets.flatMap((set) => set.ranges.flatMap(({ min, max }) => [min, max + 1])))
  const kinds = new Map<string, string>()
  for (const point of [...edges].toSorted((left, right) => left - right)) {
    if (point > 0x10ffff) continue
    const key = sets.map((set) => (set.has(point) ? '1' : '0')).join('')
    if (key.includes('1') && !kinds.has(key)) kinds.set(key, String.fromCodePoint(point))
  }
  const keys = [...kinds.keys()]
  const masks = sets.map((_, set) =>
    keys.reduce((mask, key, kind) => (key[set] === '1' ? mask | (1n << BigInt(kind)) : mask), 0n),
  )
  return { masks, characters: [...kinds.values()] }
}
