import type { Position, Positions } from './positions.ts'

export type Ambiguity = 'exponential' | 'quadratic'

/**
 * Says how an expression that may be matched in several ways can take more steps than a text is long: the engine goes through all
 * of them before it gives up (Weber and Seidl, On the degree of ambiguity of finite automata).
 */
export function ambiguityOf({ positions }: Positions): Ambiguity | undefined {
  const endless = groupsOf(positions.map((position) => ({ ...position, next: nextWithoutEnd(positions, position) })))
  if (endless.some((group) => isExponential(positions, group))) return 'exponential'
  return isQuadratic(positions, groupsOf(positions), endless) ? 'quadratic' : undefined
}

/** Where an expression may end, whatever follows, it ends: nothing before is tried again. */
function nextWithoutEnd(positions: readonly Position[], { ends, next }: Position): Position['next'] {
  return ends ? [] : next.filter(({ to }) => positions[to]?.ends !== true)
}

/** Returns the sets of positions that reach each other. */
export function groupsOf(positions: readonly Position[]): readonly ReadonlySet<number>[] {
  const reach = positions.map((_, from) => reachOf(positions, from))
  const known = new Set<number>()
  return positions.flatMap((_, at) => {
    if (known.has(at) || reach[at]?.has(at) !== true) return []
    const group = new Set([...(reach[at] ?? [])].filter((other) => reach[other]?.has(at)))
    for (const other of group) known.add(other)
    return [group]
  })
}

function reachOf(positions: readonly Position[], from: number): ReadonlySet<number> {
  const reached = new Set<number>()
  const open = [from]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const { to } of positions[at]?.next ?? []) {
      if (!reached.has(to)) open.push(to)
      reached.add(to)
    }
  }
  return reached
}

/** Whether two different ways lead over the same text from a position back to it: every round doubles their number. */
function isExponential(positions: readonly Position[], group: ReadonlySet<number>): boolean {
  const open = [...group].map((at) => [at, at] as const)
  const known = new Set(open.map(([at]) => `${at},${at}`))
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [left, right] = pair
    for (const one of positions[left]?.next ?? []) {
      if (!group.has(one.to)) continue
      if (left === right && one.several) return true
      for (const other of positions[right]?.next ?? []) {
        if (!group.has(other.to) || common(positions, one.to, other.to) === 0n) continue
        if (left !== right && one.to === other.to) return true
        const key = `${one.to},${other.to}`
        if (!known.has(key)) open.push([one.to, other.to])
        known.add(key)
      }
    }
  }
  return false
}

function common(positions: readonly Position[], ...among: readonly number[]): bigint {
  return among.reduce((kinds, at) => kinds & (positions[at]?.kinds ?? 0n), -1n)
}

/** Whether a text that is repeated may be divided anywhere between two loops. */
function isQuadratic(
  positions: readonly Position[],
  groups: readonly ReadonlySet<number>[],
  endless: readonly ReadonlySet<number>[],
): boolean {
  return groups.some((first) =>
    [...first].some((from) => {
      const reached = reachOf(positions, from)
      return endless.some(
        (second) =>
          [...second].every((to) => !first.has(to)) &&
          [...second].some((to) => reached.has(to) && isDivided(positions, { first, second, from, to })),
      )
    }),
  )
}

interface Loops {
  readonly first: ReadonlySet<number>
  readonly second: ReadonlySet<number>
  readonly from: number
  readonly to: number
}

/** Whether some text leads from the first position to itself, from it to the second, and from the second to itself. */
function isDivided(positions: readonly Position[], { first, second, from, to }: Loops): boolean {
  const open: (readonly [number, number, number])[] = [[from, from, to]]
  const known = new Set<string>()
  const next = (at: number) => positions[at]?.next ?? []
  for (let triple = open.pop(); triple !== undefined; triple = open.pop()) {
    const [left, middle, right] = triple
    for (const a of next(left)) {
      if (!first.has(a.to)) continue
      for (const c of next(right)) {
        if (!second.has(c.to) || common(positions, a.to, c.to) === 0n) continue
        for (const b of next(middle)) {
          if (common(positions, a.to, b.to, c.to) === 0n) continue
          if (a.to === from && b.to === to && c.to === to) return true
          const key = `${a.to},${b.to},${c.to}`
          if (!known.has(key)) open.push([a.to, b.to, c.to])
          known.add(key)
        }
      }
    }
  }
  return false
}
