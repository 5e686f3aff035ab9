import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { ProfileName } from '@davit/documents'

import type { Machine } from '../machine.ts'
import { ObservationAnswer } from './observation-answer.ts'
import type { Observation, ObservedRecord } from './observation.ts'

/** Returns the readable records of a profile on a machine, for all targets that the machine is or once was. */
export async function observeMappings(machine: Machine, profile: ProfileName): Promise<readonly ObservedRecord[]> {
  return (await observeMachine(machine, profile)).records
}

/** Returns everything that the records on a machine contain for a deployment of the profile. */
export async function observeMachine(
  machine: Machine<'deploy' | 'query' | 'check' | 'logs'>,
  profile: ProfileName,
  /** Whether what an earlier version has adopted of Disnix counts as not adopted. */
  adopted: 'known' | 'replace' = 'known',
): Promise<Observation> {
  const options = adopted === 'replace' ? ['replace'] : []
  return observationIn(await machine.request('observe', [profile, ...options]), machine, profile)
}

/** Parses what the operation `observe` tells. */
export function observationIn(
  lines: readonly string[],
  machine: Pick<Machine, 'address' | 'facts' | 'client'>,
  profile: ProfileName,
): Observation {
  const answer = new ObservationAnswer(`${machine.facts.stateDirectory}/targets`, profile)
  for (const line of lines) {
    if (answer.take(line)) continue
    throw new DavitError('bad-answer', `'${machine.address}' sent an answer that davit does not understand`, {
      exitStatus: ExitStatus.unreachable,
    })
  }
  const observation = answer.observation()
  return machine.client === undefined ? observation : withoutBoots(observation)
}

/** A client executable does not tell when its machine was restarted: the boots in the records are those of the coordinator. */
function withoutBoots(observation: Observation): Observation {
  const { bootId } = observation
  return { ...observation, records: observation.records.map((record) => ({ ...record, bootId })) }
}
