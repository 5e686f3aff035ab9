import { sshAnswers } from '@davit/connection'
import { openSecrets, type SecretReading } from '@davit/secrets'

import type { Host } from './host.ts'
import type { Interruption } from './interruption.ts'
import type { Performance } from './perform.ts'
import { RUN_VARIABLE } from './run-journal.ts'
import { secondsIn } from './seconds-in.ts'
import type { Environment, Run } from './tool-context.ts'

/** The run of a step, on the host of the tool that the step is part of. */
export function createRun({ host, interruption, journal, trace }: Performance): Run {
  const { workingDirectory, privileged, openPool } = host
  const { [RUN_VARIABLE]: _, ...environment } = host.environment
  return {
    report: journal.report,
    trace,
    get signal() {
      interruption.hear()
      return interruption.signal
    },
    secrets: openSecrets(secretReading(environment, host, interruption), host.secretMemory),
    // What is started on this machine in its role as a target is not part of the run.
    environment,
    workingDirectory,
    privileged,
    journal(run, purpose) {
      interruption.hear()
      journal.begin(run, purpose)
    },
    ...(openPool === undefined ? {} : { openPool }),
    answers: host.answers ?? sshAnswers(),
  }
}

/** The same run with other variables. */
export function withVariables(run: Run, variables: Environment): Run {
  const environment = { value: { ...run.environment, ...variables }, enumerable: true }
  // The signal is heard from when it is got.
  return Object.create(Object.prototype, { ...Object.getOwnPropertyDescriptors(run), environment }) as Run
}

function secretReading(
  environment: Environment,
  { workingDirectory }: Host,
  interruption: Interruption,
): SecretReading {
  return {
    environment,
    workingDirectory,
    // Only tools that resolve secrets refuse an invalid value.
    get timeoutSeconds() {
      return secondsIn(environment, 'DAVIT_SECRET_TIMEOUT')
    },
    get signal() {
      interruption.hear()
      return interruption.signal
    },
  }
}
