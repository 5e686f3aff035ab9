import type { Outcome } from '../harness/coordinator.ts'
import { BEFORE, type CoordinatorState, type Interrupted, type Laboratory, untilQuiet } from './laboratory.ts'
import { checkEnd } from './check-end.ts'
import { checkInterruption } from './check-interruption.ts'
import type { Fault } from './points.ts'
import type { Survey } from './survey.ts'
import type { Goal } from './system.ts'

export interface RoundResult {
  readonly fault: Fault
  /** What stood in the log of the point: nothing when the run did not come there. */
  readonly struck: string | undefined
  readonly status: number | null
  readonly problems: readonly string[]
  /** What was printed. */
  readonly messages: string
}

export interface Evidence {
  readonly fault: Fault
  readonly start: readonly Survey[]
  readonly startGenerations: readonly number[]
  readonly interrupted: Interrupted
  /** After the interruption; not when something of it may go on. */
  readonly between: readonly Survey[] | undefined
  readonly end: readonly Survey[]
  readonly coordinator: CoordinatorState
}

export interface Goals {
  readonly before: Goal
  readonly next: Goal
}

/** Takes a step, is interrupted, takes it again, and says what is wrong then. */
export async function runRound(laboratory: Laboratory, fault: Fault): Promise<RoundResult> {
  try {
    return await takeRound(laboratory, fault)
  } catch (error) {
    laboratory.reached(undefined)
    return { fault, struck: '', status: null, problems: [String(error)], messages: '' }
  }
}

async function takeRound(laboratory: Laboratory, fault: Fault): Promise<RoundResult> {
  const { step, kind } = fault
  await laboratory.reach(BEFORE[step])
  const { goals: all } = laboratory.system
  const goals = { before: all[BEFORE[step]], next: all[step] }
  const start = await laboratory.survey()
  const { generations } = await laboratory.coordinatorState()
  laboratory.reached(undefined)
  const interrupted = await laboratory.interrupt(fault)
  const between = kind.endsWith('KILL') ? undefined : await laboratory.survey()
  if (fault.coordinator === 'second') laboratory.changeCoordinator()
  const runs = await goOn(laboratory, fault, interrupted)
  const end = await untilQuiet(() => laboratory.survey())
  const coordinator = await laboratory.coordinatorState()
  const evidence = {
    fault,
    start,
    startGenerations: fault.coordinator === 'second' ? [] : generations,
    interrupted,
    between,
    end,
    coordinator,
  }
  const problems = [
    ...(runs.at(-1)?.status === 0 ? [] : [`the next run ended with status ${runs.at(-1)?.status}`]),
    ...checkInterruption(evidence, goals),
    ...checkEnd(evidence, goals),
  ]
  if (problems.length === 0) laboratory.reached(step)
  return {
    fault,
    struck: interrupted.struck,
    status: interrupted.status,
    problems,
    messages: [interrupted.stderr(), ...runs.map(({ stderr }) => stderr)]
      .map((text) => text.replace(/^/gm, '  | '))
      .join('\n  ---- again\n'),
  }
}

/** The same command, and once more where what davit-env has left running still held the lock. */
async function goOn(laboratory: Laboratory, fault: Fault, { orphans }: Interrupted): Promise<readonly Outcome[]> {
  const { step, kind, pace } = fault
  const again = await (pace === 'held' ? laboratory.deployPastHeld(step) : laboratory.deploy(step))
  await orphans
  if (again.status !== LOCKED || !kind.endsWith('KILL')) return [again]
  return [again, await laboratory.deploy(step)]
}

const LOCKED = 75
