import type { TargetName } from '@davit/documents'
import {
  type CurrentProfile,
  type MachineTargets,
  type Observation,
  observeMachine,
  readProfiles,
  readStateTimes,
  type StateTimes,
} from '@davit/target'

import type { InventoryTerms } from './take-inventory.ts'

/** What a machine tells before any module is asked. */
export interface ReadMachine {
  readonly observation: Observation
  readonly profiles: ReadonlyMap<TargetName, CurrentProfile>
  readonly timeOf: StateTimes
}

/** Asks a machine for everything at once. */
export async function readMachine(group: MachineTargets, { profile }: InventoryTerms): Promise<ReadMachine> {
  const { machine } = group[0]
  const names = group.map(({ name }) => name)
  const [observation, { current: profiles }, timeOf] = await Promise.all([
    observeMachine(machine, profile),
    readProfiles(machine, profile, names),
    readStateTimes(machine, profile),
  ])
  return { observation, profiles, timeOf }
}
