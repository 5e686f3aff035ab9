import { LEADS_TO } from '../inject/choice.ts'
import { isAboutWords } from '../judge/check-claims.ts'
import { checkEnd } from '../judge/check-end.ts'
import { checkRun } from '../judge/check-run.ts'
import type { CoordinatorState } from '../observe/coordinator-state.ts'
import type { Fault } from '../inject/fault.ts'
import type { HolderEnd } from './holder.ts'
import { BEFORE, type Laboratory, textOf } from './laboratory.ts'
import { isOfBuilder } from '../inject/points.ts'
import { beginningOf, type Run } from './run.ts'
import type { Survey } from '../observe/survey.ts'
import type { Goal } from './system.ts'

export interface RoundResult {
  readonly fault: Fault
  /** Whether the run reached the point; with two interruptions, whether the second run did. */
  readonly isStruck: boolean
  readonly status: number | null
  readonly problems: readonly string[]
  /** The messages of all runs. */
  readonly messages: string
}

/** State of hosts and coordinator after a run. */
export interface Remains {
  readonly after: readonly Survey[]
  readonly coordinator: CoordinatorState
}

export interface Stage extends Remains {
  readonly run: Run
  /** Time of the survey in nanoseconds. */
  readonly surveyedAt: bigint
  /** Time when all processes of the run had ended. */
  readonly goneAt: bigint
  /** State after the processes that the run left behind have ended. */
  readonly late: Remains
}

export interface Evidence {
  readonly fault: Fault
  readonly start: readonly Survey[]
  readonly startGenerations: readonly number[]
  /** All runs. The last one has to repair everything. */
  readonly stages: readonly Stage[]
  /** Time in nanoseconds after which only the last run, or activities that were cut off, have done anything. */
  readonly settledAt: bigint
  /** What is left of the davit-connect that held the connections, if there was one. */
  readonly holders: readonly HolderEnd[]
}

export interface Goals {
  readonly before: Goal
  readonly next: Goal
  readonly all: Laboratory['system']['goals']
}

/** Runs a step with an interruption, repeats it, and returns the problems. */
export async function runRound(laboratory: Laboratory, fault: Fault): Promise<RoundResult> {
  const points = [fault, fault.again].flatMap((strike) => (strike === undefined ? [] : [strike.point]))
  try {
    await laboratory.reach(BEFORE[fault.step])
    if (points.some(isOfBuilder)) await laboratory.beginWithModels()
    return await takeRound(laboratory, fault)
  } catch (error) {
    laboratory.reached(undefined)
    const problem = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { fault, isStruck: true, status: null, problems: [problem], messages: '' }
  } finally {
    await laboratory.endSharing()
    await laboratory.endWithModels()
  }
}

async function takeRound(laboratory: Laboratory, fault: Fault): Promise<RoundResult> {
  const { step } = fault
  const { goals: all } = laboratory.system
  const next = LEADS_TO[step]
  const goals = { before: all[BEFORE[step]], next: all[next], all }
  const start = laboratory.survey()
  const { generations } = laboratory.coordinatorState()
  laboratory.reached(undefined)
  if (fault.connections === 'shared') await laboratory.shareConnections()
  const interrupted = await interruptions(laboratory, fault)
  const { stages, holders } = await goOn(laboratory, fault, interrupted)
  const startGenerations = fault.coordinator === 'second' ? [] : generations
  const evidence = { fault, start, startGenerations, stages, holders, settledAt: beginningOf(stages.at(-1)!.run) }
  const problems = [...stages.flatMap((_, index) => checkRun(evidence, index, goals)), ...checkEnd(evidence, goals)]
  if (problems.every(isAboutWords)) laboratory.reached(next)
  const { isStruck, status } = interrupted.at(-1)!.run
  return {
    fault,
    isStruck,
    status,
    problems,
    messages: stages.map(({ run }) => textOf(run.said()).replace(/^/gm, '  | ')).join('\n  ---- again\n'),
  }
}

/** Runs the interrupted run, and the interrupted run after that, if the fault has one. */
async function interruptions(laboratory: Laboratory, fault: Fault): Promise<readonly Begun[]> {
  const { step, again, pace } = fault
  const first = stageOf(laboratory, await laboratory.interrupt(step, { strike: fault, pace }))
  if (fault.coordinator === 'second') laboratory.changeCoordinator()
  if (again === undefined) return [first]
  return [first, stageOf(laboratory, await laboratory.interrupt(LEADS_TO[step], { strike: again }))]
}

/** Repeats the command. */
async function goOn(
  laboratory: Laboratory,
  fault: Fault,
  before: readonly Begun[],
): Promise<Pick<Evidence, 'stages' | 'holders'>> {
  const next = LEADS_TO[fault.step]
  const first = await renewed(laboratory, fault)
  const last = await (fault.pace === 'held' ? laboratory.deployPastHeld(next) : laboratory.deploy(next))
  const gone = await Promise.all(before.map(({ run }) => run.orphans))
  const earlier = before.map((stage, index) => ({
    ...stage,
    goneAt: gone[index]!,
    // Processes that ended before the survey have printed nothing after it.
    late: gone[index]! <= stage.surveyedAt ? stage : remainsOf(laboratory, stage.run),
  }))
  const second = await laboratory.endSharing()
  const after = await laboratory.surveyWhenQuiet()
  const late = { after, coordinator: laboratory.coordinatorState() }
  const stages = [...earlier, { run: last, ...late, surveyedAt: last.endedAt, goneAt: last.endedAt, late }]
  return { stages, holders: [first, second].filter((end) => end !== undefined) }
}

/** Replaces a davit-connect that would not ask the host of the point again for a while. */
async function renewed(laboratory: Laboratory, { kind, connections }: Fault): Promise<HolderEnd | undefined> {
  if (connections === 'own' || kind !== 'cut') return undefined
  const end = await laboratory.endSharing()
  await laboratory.shareConnections()
  return end
}

type Begun = Omit<Stage, 'goneAt' | 'late'>

function stageOf(laboratory: Laboratory, run: Run): Begun {
  const surveyedAt = BigInt(Date.now()) * 1_000_000n
  return { run, ...remainsOf(laboratory, run), surveyedAt }
}

function remainsOf(laboratory: Laboratory, { stateDirectory }: Run): Remains {
  return { after: laboratory.survey(), coordinator: laboratory.coordinatorState(stateDirectory) }
}
