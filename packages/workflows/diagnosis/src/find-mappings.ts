import { DavitError } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import { type MappingTerms, type WantedMapping, wantedMappings } from '@davit/service-logs'
import { groupByMachine, type Machine, type MachineTargets, observeMachine, type ReachedTargets } from '@davit/target'

/** A service in a container of a target, and the machine that it is on. */
export interface DiagnosedMapping extends WantedMapping {
  readonly machine: Machine<'logs'>
}

export interface FoundMappings {
  readonly mappings: readonly DiagnosedMapping[]
  /** Why nothing is known of some targets. */
  readonly failures: ReadonlyMap<TargetName, DavitError>
}

export interface FindTerms extends MappingTerms {
  readonly signal: AbortSignal
}

/** Finds where services are, active or not. */
export async function findMappings(
  { targets, unreachable }: ReachedTargets<'logs'>,
  terms: FindTerms,
): Promise<FoundMappings> {
  const failures = new Map(unreachable)
  const findOn = async (group: MachineTargets<'logs'>): Promise<readonly DiagnosedMapping[]> => {
    const [{ machine }] = group
    const names = group.map(({ name }) => name)
    try {
      const observation = await observeMachine(machine, terms.profile)
      return wantedMappings(observation, names, terms).map((one) => ({ ...one, machine }))
    } catch (error) {
      terms.signal.throwIfAborted()
      if (!(error instanceof DavitError)) throw error
      for (const name of names) failures.set(name, error)
      return []
    }
  }
  const found = await Promise.all(groupByMachine(targets.values()).map(findOn))
  return { mappings: found.flat(), failures }
}
