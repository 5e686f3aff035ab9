import type { Laboratory } from './laboratory.ts'
import { type Fault, type Kind, KINDS, nameOf, type Points } from './points.ts'
import { runRound, type RoundResult } from './round.ts'

export interface LoopOptions {
  /** Is told of each round. */
  readonly say: (text: string) => void
  readonly isOver?: () => boolean
}

/** One round after the other; nothing ends the loop but `isOver`. */
export async function runFaults(
  laboratory: Laboratory,
  faults: readonly Fault[],
  { say, isOver = () => false }: LoopOptions,
): Promise<readonly RoundResult[]> {
  const results: RoundResult[] = []
  for (const fault of faults) {
    if (isOver()) break
    const began = Date.now()
    const result = await runRound(laboratory, fault)
    results.push(result)
    say(`${renderResult(result)}; ${((Date.now() - began) / 1000).toFixed(1)} s)`)
    if (result.problems.length > 0) say(renderFailure(result))
  }
  return results
}

export const isFailure = ({ problems }: RoundResult) => problems.length > 0

const isMissed = ({ struck }: RoundResult) => struck === undefined

function renderResult(result: RoundResult): string {
  const outcome = isFailure(result) ? 'FAILED' : isMissed(result) ? 'not reached' : 'ok'
  const moment = result.struck?.split(' ').slice(1, 4).join(' ') ?? ''
  return `${outcome} ${nameOf(result.fault)} (${moment}; status ${result.status ?? 'killed'}`
}

export function renderFailure({ fault, problems, messages }: RoundResult): string {
  return [
    `'${nameOf(fault)}':`,
    ...problems.map((problem) => `  ${problem}`),
    messages,
    `  repeat it with: scripts/faults '${nameOf(fault)}'`,
  ].join('\n')
}

/** How many points of each kind were tried. */
export function renderTally(results: readonly RoundResult[]): string {
  return [
    `${results.length} points tried, ${results.filter(isFailure).length} failed`,
    ...KINDS.flatMap((kind) =>
      renderKind(
        kind,
        results.filter(({ fault }) => fault.kind === kind),
      ),
    ),
  ].join('\n')
}

function renderKind(kind: Kind, results: readonly RoundResult[]): readonly string[] {
  if (results.length === 0) return []
  const [failed, missed] = [results.filter(isFailure).length, results.filter(isMissed).length]
  return [`  ${kind.padEnd(10)} ${results.length} tried, ${failed} failed, ${missed} not reached`]
}

export function renderPoints(points: Points): string {
  const counts = Object.entries(points).map(([step, all]) => `${step} ${all.length}`)
  return `points: ${counts.join(', ')}, each for ${KINDS.length} kinds of faults`
}
