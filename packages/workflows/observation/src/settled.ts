import type { Report } from '@davit/diagnostics'
import type { ContainerName, Mapping, ProfileName, ServiceKey, TargetName } from '@davit/documents'
import { unlessAborted } from '@davit/process'
import { awaitActivity, type Machine, type Observation, observeAfterTrials, observeMachine } from '@davit/target'
import { intendedIn } from '@davit/target-runtime'
import type { ObservedMapping } from '@davit/transition'

import { say } from './messages.ts'

export interface SettlingTerms {
  readonly profile: ProfileName
  readonly report: Report
  readonly signal: AbortSignal
  /** Whether to wait for activities that an earlier run began. */
  readonly running: 'wait' | 'tell'
  /** How long these may still take before they are ended. */
  readonly timeoutSeconds?: number | undefined
}

/** Observes a machine once no activity runs there any more. */
export async function settledObservation(machine: Machine, terms: SettlingTerms): Promise<Observation> {
  const { report, signal, timeoutSeconds, profile } = terms
  const observation = await observed(machine, terms)
  const running = terms.running === 'wait' ? runningIn(observation) : []
  if (running.length === 0) return observation
  const endOf = ({ mapping, name, activity, step }: Running) => {
    const { target, container } = mapping
    report(say('waiting-for-earlier', { target, step, service: name, container }))
    return awaitActivity(machine, { profile, mapping, activity, timeoutSeconds })
  }
  await unlessAborted(Promise.all(running.map(endOf)), signal)
  return settledObservation(machine, terms)
}

/** Observes a machine. What an earlier deployment did that was not confirmed does not stay. */
async function observed(machine: Machine, terms: SettlingTerms): Promise<Observation> {
  if (terms.running === 'wait') return observeAfterTrials(machine, terms)
  const observation = await observeMachine(machine, terms.profile)
  for (const target of observation.trials) terms.report(say('trial-not-over', { target }))
  return observation
}

interface Running {
  readonly mapping: Mapping
  readonly name: string
  readonly activity: string
  /** Name of the activity for people. */
  readonly step: string
}

function runningIn({ records, damaged }: Observation): readonly Running[] {
  return [
    ...records
      .filter(({ running }) => running)
      .map((record) => ({ mapping: record.mapping, name: record.service.name, ...activityIn(record) })),
    ...damaged
      .filter(({ running }) => running)
      .map(({ target, container, key, fields, ...record }) => {
        const mapping = mappingOf(target, container, key)
        return { mapping, name: fields.service?.name ?? key, ...activityIn(record) }
      }),
  ]
}

type Begun = Pick<ObservedMapping, 'state' | 'activity'>

/** Activity that is running. A record of an earlier version may not name it; on an active service it is then lock or unlock. */
function activityIn({ state, activity = intendedIn(state) }: Begun): Pick<Running, 'activity' | 'step'> {
  return activity === undefined ? { activity: 'activate', step: 'lock or unlock' } : { activity, step: activity }
}

function mappingOf(target: TargetName, container: ContainerName, service: ServiceKey): Mapping {
  return { target, container, service }
}
