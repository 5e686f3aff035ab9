import type { DavitError } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import { groupByMachine, type MachineTargets, type ReachedTargets } from '@davit/target'

import { isOfMachine } from './find-logs.ts'
import type { LogLine } from './log-line.ts'
import type { LogTerms } from './log-terms.ts'
import { MachineLogs } from './machine-logs.ts'
import { mergeByTime } from './merge-lines.ts'
import { say } from './messages.ts'

export interface ReadLogs {
  /** Of all targets, in order of time. */
  readonly lines: readonly LogLine[]
  /** Names of the services that were found anywhere. */
  readonly services: ReadonlySet<string>
  /** Why nothing could be read from some targets. */
  readonly failures: ReadonlyMap<TargetName, DavitError>
}

/** Reads the last lines of the logs of services, from all targets that have them, and changes nothing. */
export async function readLogs(reached: ReachedTargets<'logs'>, terms: LogTerms): Promise<ReadLogs> {
  const failures = new Map(reached.unreachable)
  const services = new Set<string>()
  const readMachine = async (group: MachineTargets<'logs'>) => {
    const [{ machine }] = group
    const logs = new MachineLogs(namesOf(group), terms)
    try {
      await logs.find(machine)
      for (const service of logs.services) services.add(service)
      return [...(await logs.read(machine)), ...logs.end()]
    } catch (error) {
      if (!isOfMachine(error, terms)) throw error
      for (const { name } of group) failures.set(name, error)
      return []
    }
  }
  const lists = await Promise.all(groupByMachine(reached.targets.values()).map(readMachine))
  for (const [target, { message: reason }] of failures) terms.report(say('logs-unknown', { target, reason }))
  return { lines: mergeByTime(lists.flat()), services, failures }
}

export function namesOf(group: MachineTargets<'logs'>): readonly TargetName[] {
  return group.map(({ name }) => name)
}
