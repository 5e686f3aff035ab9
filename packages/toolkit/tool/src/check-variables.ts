import { refuseForeign } from '@davit/files'
import { limitsIn, pathsIn } from '@davit/isolation'
import { sizeLimitIn } from '@davit/store'
import { bytesIn } from './bytes-in.ts'
import type { Tool } from './define-tool.ts'
import { secondsIn } from './seconds-in.ts'
import { COORDINATOR_VARIABLE, coordinatorDirectory, type StateOwner, stateDirectory } from './state-directory.ts'
import type { Environment } from './tool-context.ts'
import { usageError } from './usage-error.ts'

/** Readers of variables that are needed late in a run, or many times. */
const READERS: Readonly<Record<string, (owner: StateOwner) => unknown>> = {
  DAVIT_SIZE_LIMIT: ({ environment }) => sizeLimitIn(environment, undefined),
  DAVIT_MEMORY_LIMIT: ({ environment }) => limitsIn(environment),
  DAVIT_PROCESS_LIMIT: ({ environment }) => limitsIn(environment),
  DAVIT_BUILD_PATHS: ({ environment }) => pathsIn(environment, []),
  DAVIT_ANSWER_TIMEOUT: ({ environment }) => secondsIn(environment, 'DAVIT_ANSWER_TIMEOUT'),
  DAVIT_FETCH_LIMIT: ({ environment }) => bytesIn(environment, 'DAVIT_FETCH_LIMIT'),
  DAVIT_FETCH_TIMEOUT: ({ environment }) => secondsIn(environment, 'DAVIT_FETCH_TIMEOUT'),
  DAVIT_SECRET_TIMEOUT: ({ environment }) => secondsIn(environment, 'DAVIT_SECRET_TIMEOUT'),
  DAVIT_LOCK_LEASE: ({ environment }) => refuseNoSeconds('DAVIT_LOCK_LEASE', environment),
  // What others could lead elsewhere is not even read: programs of manifests are run.
  DAVIT_STATE_DIR: (owner) => refuseForeign(stateDirectory(owner)),
  [COORDINATOR_VARIABLE]: (owner) => refuseForeign(coordinatorDirectory(owner)),
}

/** Refuses invalid values of variables that a tool will need, before the tool begins. */
export function checkVariables({ environment: described = {} }: Pick<Tool, 'environment'>, owner: StateOwner): void {
  for (const [variable, read] of Object.entries(READERS)) {
    if (Object.hasOwn(described, variable) && owner.environment[variable]) read(owner)
  }
}

/** Checks a variable that sets an option of a step. */
function refuseNoSeconds(variable: string, { [variable]: text = '' }: Environment): void {
  if (!/^[1-9]\d*$/.test(text))
    throw usageError(`variable '${variable}' cannot be '${text}'`, 'expected a number of seconds')
}
