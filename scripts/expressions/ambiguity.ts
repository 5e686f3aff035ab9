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
  const within = (at: number) => (positions[at]?.next ?? []).filter(({ to }) => group.has(to))
  if ([...group].some((at) => within(at).some(({ several }) => several))) return true
  const parted = walkOver(
    [...group].map((at) => [at, at]),
    ([left = 0, right = 0]) =>
      within(left).flatMap((one) =>
        within(right).flatMap((other) => (haveCommon(positions, [one.to, other.to]) ? [[one.to, other.to]] : [])),
      ),
  )
  return parted(([left, right], [before, beforeToo]) => left === right && before !== beforeToo)
}

/** Whether a step that is looked for is found; steps go from positions to positions that follow. */
type Search = (isFound: (to: readonly number[], from: readonly number[]) => boolean) => boolean

/** Goes from several positions at the same time to those that follow, each once. */
function walkOver(
  starts: readonly (readonly number[])[],
  nextOf: (places: readonly number[]) => readonly (readonly number[])[],
): Search {
  return (isFound) => {
    const open = [...starts]
    const known = new Set(open.map(String))
    for (let places = open.pop(); places !== undefined; places = open.pop()) {
      for (const next of nextOf(places)) {
        if (isFound(next, places)) return true
        if (!known.has(String(next))) open.push(next)
        known.add(String(next))
      }
    }
    return false
  }
}

/** Whether positions take the same character. */
function haveCommon(positions: readonly Position[], among: readonly number[]): boolean {
  return among.reduce((kinds, at) => kinds & (positions[at]?.kinds ?? 0n), -1n) !== 0n
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
  const nextOf = (at: number) => (positions[at]?.next ?? []).map((edge) => edge.to)
  const followers = ([left = 0, middle = 0, right = 0]: readonly number[]) =>
    nextOf(left).flatMap((a) =>
      first.has(a) ? nextOf(right).flatMap((c) => (second.has(c) ? meet(a, c, nextOf(middle)) : [])) : [],
    )
  const meet = (a: number, c: number, among: readonly number[]) =>
    haveCommon(positions, [a, c]) ? among.flatMap((b) => (haveCommon(positions, [a, b, c]) ? [[a, b, c]] : [])) : []
  return walkOver([[from, from, to]], followers)(([a, b, c]) => a === from && b === to && c === to)
}
