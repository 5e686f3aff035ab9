import { RegExpParser } from '@eslint-community/regexpp'
import { groupsOf } from './ambiguity.ts'
import { automatonOf } from './automaton.ts'
import { type Edge, type Positions, positionsOf } from './positions.ts'

/** A text that leads into a loop of an expression, goes round, and then ends otherwise. */
export interface HostileText {
  readonly before: string
  readonly repeated: string
}

/** Loops of an expression with the fewest characters, and some of those with more. */
const MOST = 8

export function hostileTexts(pattern: string, flags: string): readonly HostileText[] {
  const { pattern: parsed, flags: read } = new RegExpParser().parseLiteral(`/${pattern}/${flags}`)
  const graph = positionsOf(automatonOf(parsed, read))
  const texts = groupsOf(graph.positions).flatMap((group) =>
    [...group].slice(0, MOST).map((at) => ({
      before: wayTo(graph, graph.first, at),
      repeated: wayTo(graph, graph.positions[at]?.next ?? [], at),
    })),
  )
  // A search anywhere goes round with any character, so beginnings are repeated too.
  return [...texts, ...texts.map(({ before, repeated }) => ({ before: '', repeated: before + repeated }))]
}

/** The shortest text from edges to a position. */
function wayTo({ positions, characters }: Positions, from: readonly Edge[], goal: number): string {
  const ways = new Map<number, string>()
  const open = from.map(({ to }) => ({ to, way: '' }))
  for (const { to, way } of open) {
    const position = positions[to]
    if (position === undefined || ways.has(to)) continue
    const longer = way + characterOf(position.kinds, characters)
    ways.set(to, longer)
    if (to === goal) return longer
    open.push(...position.next.map((edge) => ({ to: edge.to, way: longer })))
  }
  return ''
}

function characterOf(kinds: bigint, characters: readonly string[]): string {
  return characters.find((_, kind) => ((kinds >> BigInt(kind)) & 1n) === 1n) ?? ''
}
