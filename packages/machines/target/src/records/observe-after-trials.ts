import { setTimeout as delay } from 'node:timers/promises'

import type { Report } from '@davit/diagnostics'
import type { ProfileName } from '@davit/documents'

import type { Machine } from '../machine.ts'
import { say } from '../messages.ts'
import type { Observation } from './observation.ts'
import { observeMachine } from './observe.ts'

export interface TrialPatience {
  readonly profile: ProfileName
  readonly report: Report
  readonly signal: AbortSignal
}

/** Observes a machine once its targets have gone back from deployments that were not confirmed. */
export async function observeAfterTrials(
  machine: Machine,
  { profile, report, signal }: TrialPatience,
): Promise<Observation> {
  for (let isTold = false; ; isTold = true) {
    const observation = await observeMachine(machine, profile)
    if (observation.trials.length === 0) return observation
    if (!isTold) for (const target of observation.trials) report(say('waiting-for-trial', { target }))
    await delay(PAUSE_MILLISECONDS, undefined, { signal })
  }
}

const PAUSE_MILLISECONDS = 250
