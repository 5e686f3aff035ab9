import { isAboutWords } from '../judge/check-claims.ts'
import { type Fault, type Kind, KINDS, nameOf, WAYS } from '../inject/fault.ts'
import { BEFORE, type Laboratory } from './laboratory.ts'
import { type AllPoints, onlyOnTrial, partsOf } from '../inject/points.ts'
import { runRound, type RoundResult } from './round.ts'
import { STEPS } from './system.ts'

export interface LoopOptions {
  /** Prints a line about each round. */
  readonly say: (text: string) => void
  readonly isOver?: () => boolean
  /** Receives each result as soon as it is known. */
  readonly record?: (result: RoundResult) => void
}

/** Runs one round after the other in each of the laboratories. Failures do not end the loop; only `isOver` does. */
export async function runFaults(
  laboratories: readonly Laboratory[],
  faults: readonly Fault[],
  { say, isOver = () => false, record = () => {} }: LoopOptions,
): Promise<readonly RoundResult[]> {
  const waiting = [...faults]
  const results: RoundResult[] = []
  const work = async (laboratory: Laboratory) => {
    for (let fault = takeFor(laboratory, waiting); fault !== undefined; fault = takeFor(laboratory, waiting)) {
      if (isOver()) return
      const began = Date.now()
      const result = await runRound(laboratory, fault)
      results.push(result)
      record(result)
      say(`${renderResult(result)}; ${((Date.now() - began) / 1000).toFixed(1)} s)`)
      if (isFailure(result) && !isOnlyWords(result)) say(renderFailure(result))
    }
  }
  await Promise.all(laboratories.map(work))
  return results
}

/** Takes the first fault that starts from what is deployed, or else one that starts from nothing, which is reached quickly. */
function takeFor(laboratory: Laboratory, waiting: Fault[]): Fault | undefined {
  const places = [laboratory.deployed(), 'nothing'].map((deployed) =>
    waiting.findIndex(({ step }) => BEFORE[step] === deployed),
  )
  return waiting.splice(places.find((place) => place >= 0) ?? 0, 1)[0]
}

export const isFailure = ({ problems }: RoundResult) => problems.length > 0

const isMissed = ({ isStruck }: RoundResult) => !isStruck

/** Whether davit acted correctly, and only printed codes that the tables do not contain. */
const isOnlyWords = (result: RoundResult) => isFailure(result) && result.problems.every(isAboutWords)

function renderResult(result: RoundResult): string {
  const outcome = isOnlyWords(result)
    ? 'UNKNOWN CODES'
    : isFailure(result)
      ? 'FAILED'
      : isMissed(result)
        ? 'not reached'
        : 'ok'
  return `${outcome} ${nameOf(result.fault)} (status ${result.status ?? 'killed'}`
}

export function renderFailure({ fault, problems, messages }: RoundResult): string {
  return [
    `'${nameOf(fault)}':`,
    ...problems.map((problem) => `  ${problem}`),
    messages,
    `  repeat it with: scripts/faults '${nameOf(fault)}'`,
  ].join('\n')
}

/** Renders the number of points that were tried: in total, and of each kind, step and tool. */
export function renderTally(results: readonly RoundResult[]): string {
  const tools = [...new Set(results.map(toolOf))].toSorted()
  return [
    `${results.length} rounds, ${results.filter(isFailure).length} failed`,
    ...KINDS.map((kind: Kind) => renderGroup(kind, results, ({ fault }) => fault.kind === kind)),
    ...WAYS.map((way) => renderGroup(way, results, ({ fault }) => fault.wayOn === way)),
    renderGroup('confirmed', results, ({ fault }) => fault.trial === 'confirmed'),
    renderGroup('a second fault', results, ({ fault }) => fault.again !== undefined),
    ...STEPS.map((step) => renderGroup(step, results, ({ fault }) => fault.step === step)),
    ...tools.map((tool) => renderGroup(tool, results, (result) => toolOf(result) === tool)),
    ...renderWords(results),
  ]
    .filter((line) => line !== undefined)
    .join('\n')
}

/** Renders each unknown message once, however many rounds printed it. */
function renderWords(results: readonly RoundResult[]): readonly string[] {
  const words = results.flatMap(({ problems }) => problems.filter(isAboutWords))
  const wordings = new Map(words.map((problem) => [problem.replace(/^run \d+: /, '').replaceAll(/\d+/g, 'N'), problem]))
  if (wordings.size === 0) return []
  const rounds = results.filter(isOnlyWords).length
  return [
    `${rounds} failed only because the codes of these messages are neither in claims.ts nor in no-claims.ts:`,
    ...[...wordings.values()].map((problem) => `  ${problem}`),
  ]
}

function toolOf({ fault }: RoundResult): string {
  return partsOf(fault.point).tool
}

function renderGroup(
  name: string,
  results: readonly RoundResult[],
  isOf: (result: RoundResult) => boolean,
): string | undefined {
  const group = results.filter(isOf)
  if (group.length === 0) return undefined
  const [failed, missed] = [group.filter(isFailure).length, group.filter(isMissed).length]
  return `  ${name.padEnd(16)} ${group.length} tried, ${failed} failed, ${missed} not reached`
}

export function renderPoints(points: AllPoints): string {
  const counts = STEPS.map((step) => `${step} ${points.usual[step].length}`)
  const onTrial = Object.values(onlyOnTrial(points)).flat().length
  return `points: ${counts.join(', ')}, to confirm ${onTrial} more, for ${KINDS.length} kinds of faults`
}
