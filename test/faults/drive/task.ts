import type { Fault } from '../inject/fault.ts'
import type { Deployment, System } from './system.ts'

/** What a run of davit-env is told to do. */
export interface Task {
  /** The deployment that the run is to reach. */
  readonly step: Deployment
  readonly way: Fault['wayOn']
  /** The coordinator of the run. One that knows nothing has to ask the targets what was wanted, or what was there before. */
  readonly coordinator: Fault['coordinator']
}

/** The task of a usual run. */
export function taskFor(step: Deployment): Task {
  return { step, way: 'repeated', coordinator: 'same' }
}

export interface Input {
  readonly input: 'manifest' | 'models'
  /** Whether to stop once there is a manifest and a plan. */
  readonly dryRun?: boolean
}

/** Returns the arguments of davit-env. */
export function optionsOf({ goals }: System, { step, way, coordinator, input, dryRun = false }: Task & Input) {
  const { manifestOptions, modelOptions, toldAnew } = goals[step]
  const models = input === 'models' ? modelOptions : manifestOptions
  const asked = coordinator === 'second' ? ['-i', INFRASTRUCTURE] : []
  // Targets do not know the options.
  const words = {
    repeated: models,
    resumed: ['--resume', ...asked, ...(coordinator === 'second' ? toldAnew : [])],
    aborted: ['--abort', ...asked],
  }
  return [...words[way], ...(dryRun ? ['--dry-run'] : [])]
}

/** File of the infrastructure model. */
export const INFRASTRUCTURE = 'infrastructure.yaml'
