import { LEADS_TO } from '../inject/choice.ts'
import { isAboutWords } from '../judge/check-claims.ts'
import { checkBack } from '../judge/check-back.ts'
import { checkEnd } from '../judge/check-end.ts'
import { checkRun } from '../judge/check-run.ts'
import type { CoordinatorState } from '../observe/coordinator-state.ts'
import type { Fault } from '../inject/fault.ts'
import type { HolderEnd } from './holder.ts'
import { BEFORE, type Laboratory, textOf } from './laboratory.ts'
import { isOfBuilder } from '../inject/points.ts'
import type { Run } from './run.ts'
import type { Survey } from '../observe/survey.ts'
import type { Goal } from './system.ts'
import { taskFor } from './task.ts'
import { taskAfter, withGoal } from './way-on.ts'

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
  /** What the coordinator that continues has recorded before the round. */
  readonly startRecord: Pick<CoordinatorState, 'generations' | 'manifest'>
  /** All runs. The last one has to repair everything. */
  readonly stages: readonly Stage[]
  /** Number of the runs that were to be interrupted, which are the first ones. */
  readonly interruptions: number
  /** The hosts once they have gone back by themselves, before anybody went on; undefined where nothing was to be confirmed. */
  readonly back: readonly Survey[] | undefined
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
  const record = laboratory.coordinatorState()
  laboratory.reached(undefined)
  if (fault.connections === 'shared') await laboratory.shareConnections()
  const interrupted = await interruptions(laboratory, fault)
  const back = fault.trial === 'none' ? undefined : await laboratory.surveyOnceBack()
  const { stages, holders } = await goOn(laboratory, fault, interrupted)
  const startRecord = fault.coordinator === 'second' ? NO_RECORD : record
  const evidence = { fault, start, startRecord, stages, holders, interruptions: interrupted.length, back }
  const problems = [
    ...stages.flatMap((_, index) => checkRun(evidence, index, goals)),
    ...checkBack(evidence, goals),
    ...checkEnd(evidence, goals),
  ]
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

const NO_RECORD: Evidence['startRecord'] = { generations: [], manifest: '' }

/** Runs the interrupted run, and the interrupted run after that, if the fault has one. */
async function interruptions(laboratory: Laboratory, fault: Fault): Promise<readonly Begun[]> {
  const { step, again, pace, trial } = fault
  const first = stageOf(laboratory, await laboratory.interrupt(taskFor(step, trial), { strike: fault, pace }))
  if (fault.coordinator === 'second') laboratory.changeCoordinator()
  if (again === undefined) return [first]
  const next = await laboratory.interrupt(taskAfter(laboratory, fault), { strike: again })
  return [first, stageOf(laboratory, withGoal(next, laboratory, step))]
}

/** Goes on as the fault says, and repeats the command. */
async function goOn(
  laboratory: Laboratory,
  fault: Fault,
  before: readonly Begun[],
): Promise<Pick<Evidence, 'stages' | 'holders'>> {
  const first = await renewed(laboratory, fault)
  const task = taskAfter(laboratory, fault)
  const next = await (fault.pace === 'held' ? laboratory.deployPastHeld(task) : laboratory.deploy(task))
  const gone = await Promise.all(before.map(({ run }) => run.orphans))
  const earlier = before.map((stage, index) => ({
    ...stage,
    goneAt: gone[index]!,
    // Processes that ended before the survey have printed nothing after it.
    late: gone[index]! <= stage.surveyedAt ? stage : remainsOf(laboratory, stage.run),
  }))
  const wayOn =
    task.way === 'repeated' ? [] : [endedStage(withGoal(next, laboratory, fault.step), laboratory.survey(), laboratory)]
  const last = task.way === 'repeated' ? next : await laboratory.deploy(taskFor(LEADS_TO[fault.step], fault.trial))
  const second = await laboratory.endSharing()
  const end = endedStage(last, await laboratory.surveyWhenQuiet(), laboratory)
  return { stages: [...earlier, ...wayOn, end], holders: [first, second].filter((one) => one !== undefined) }
}

/** Replaces a davit-connect that would not ask the host of the point again for a while. */
async function renewed(laboratory: Laboratory, { kind, connections }: Fault): Promise<HolderEnd | undefined> {
  if (connections === 'own' || kind !== 'cut') return undefined
  const end = await laboratory.endSharing()
  await laboratory.shareConnections()
  return end
}

/** The stage of a run that was not interrupted, and has left nothing behind. */
function endedStage(run: Run, after: readonly Survey[], laboratory: Laboratory): Stage {
  const remains = { after, coordinator: laboratory.coordinatorState() }
  return { run, ...remains, surveyedAt: run.endedAt, goneAt: run.endedAt, late: remains }
}

type Begun = Omit<Stage, 'goneAt' | 'late'>

function stageOf(laboratory: Laboratory, run: Run): Begun {
  const surveyedAt = BigInt(Date.now()) * 1_000_000n
  return { run, ...remainsOf(laboratory, run), surveyedAt }
}

function remainsOf(laboratory: Laboratory, { stateDirectory }: Run): Remains {
  return { after: laboratory.survey(), coordinator: laboratory.coordinatorState(stateDirectory) }
}
