import type { Fault } from '../inject/fault.ts'
import type { Deployment, Goal, System } from './system.ts'

/** What a run of davit-env is told to do. */
export interface Task {
  /** The deployment that the run is to reach. */
  readonly step: Deployment
  readonly way: Fault['wayOn']
  /** The coordinator of the run. One that knows nothing has to ask the targets what was wanted, or what was there before. */
  readonly coordinator: Fault['coordinator']
  readonly trial: Fault['trial']
}

/** The task of a usual run. */
export function taskFor(step: Deployment, trial: Task['trial'] = 'none'): Task {
  return { step, way: 'repeated', coordinator: 'same', trial }
}

export interface Input {
  readonly input: 'manifest' | 'models'
  /** Whether to stop once there is a manifest and a plan. */
  readonly dryRun?: boolean
}

/** Returns the arguments of davit-env. */
export function optionsOf({ goals }: System, terms: Task & Input): readonly string[] {
  const words = { repeated: repeatedWords, resumed: resumedWords, aborted: abortedWords }
  return [...words[terms.way](goals[terms.step], terms), ...(terms.dryRun === true ? ['--dry-run'] : [])]
}

type Words = (goal: Goal, terms: Task & Input) => readonly string[]

/** State that moves could not be brought back. Few seconds, as rounds wait for targets that go back. */
const TRIAL = ['--confirm', '6', '--no-migration']

const repeatedWords: Words = ({ manifestOptions, modelOptions, toldAnew }, { input, trial }) => {
  const words = input === 'models' ? modelOptions : manifestOptions
  return trial === 'none' ? words : [...words.filter((option) => !toldAnew.includes(option)), ...TRIAL]
}

/** The coordinator of the run that is resumed knows its options, but targets do not. */
const resumedWords: Words = ({ toldAnew }, { coordinator, trial }) => {
  if (coordinator === 'same') return ['--resume']
  return ['--resume', ...FROM_TARGETS, ...(trial === 'none' ? toldAnew : TRIAL)]
}

const abortedWords: Words = (_, { coordinator, trial }) => {
  return ['--abort', ...(coordinator === 'same' ? [] : FROM_TARGETS), ...(trial === 'none' ? [] : TRIAL)]
}

/** File of the infrastructure model. */
export const INFRASTRUCTURE = 'infrastructure.yaml'
const FROM_TARGETS = ['-i', INFRASTRUCTURE]
