import { parseStorePath, type ProfileName, type StorePath, type TargetName } from '@davit/documents'
import { encodeField } from '@davit/target-runtime'

import { badAnswer } from './helper/answer-lines.ts'
import type { Machine } from './machine.ts'
import { type CurrentProfile, profilesFrom } from './read-profiles.ts'
import type { ModuleReference } from './records/activity.ts'
import { type FoundModule, modulesIn } from './records/definition.ts'
import type { Observation } from './records/observation.ts'
import { observationIn } from './records/observe.ts'
import { type StateTimes, timesIn } from './records/times.ts'

/** All that a machine tells of a deployment before any module is asked. */
export interface MachineInventory {
  readonly observation: Observation
  /** Targets that have no current profile are left out. */
  readonly profiles: ReadonlyMap<TargetName, CurrentProfile>
  readonly timeOf: StateTimes
  /** Packages of records, and current profiles, that are not valid there. */
  readonly missing: ReadonlySet<StorePath>
  /** Those of the modules in question that are there. */
  readonly modules: ReadonlyMap<ModuleReference, FoundModule>
}

export interface InventoryQuestions {
  readonly profile: ProfileName
  readonly targets: readonly TargetName[]
  /** Modules to look for. */
  readonly references: readonly ModuleReference[]
}

/** Asks a machine for everything at once. */
export async function readInventory(
  machine: Machine<'query'>,
  { profile, targets, references }: InventoryQuestions,
): Promise<MachineInventory> {
  const lines = await machine.request('inventory', [profile, ...targets, '-', ...references.map(encodeField)])
  const border = lines.indexOf('others')
  if (border === -1) throw badAnswer(machine.address)
  const observation = observationIn(lines.slice(0, border), machine, profile)
  const others = lines.slice(border + 1)
  const about = (...facts: readonly string[]) => others.filter((line) => facts.includes(line.split(' ', 1)[0] ?? ''))
  const { current } = await profilesFrom(about('profile', 'wanted'), machine, { profile, targets })
  return {
    observation,
    profiles: current,
    timeOf: timesIn(about('time'), machine),
    missing: await missingOn(machine, { observation, current, told: about('missing') }),
    modules: modulesIn(about('module'), references),
  }
}

interface Told {
  readonly observation: Observation
  readonly current: ReadonlyMap<TargetName, CurrentProfile>
  readonly told: readonly string[]
}

/** A client executable is asked itself, since the helper only sees the coordinator's store. */
async function missingOn(
  machine: Pick<Machine, 'client'>,
  { observation, current, told }: Told,
): Promise<ReadonlySet<StorePath>> {
  if (machine.client === undefined)
    return new Set(told.flatMap((line) => parseStorePath(line.slice('missing '.length)) ?? []))
  const profiles = [...current.values()].flatMap(({ path }) => path ?? [])
  const paths = [...new Set([...profiles, ...observation.records.map(({ service }) => service.pkg)])]
  if (paths.length === 0) return new Set()
  const invalid = await machine.client.call('print-invalid', paths)
  return new Set(invalid.flatMap((line) => parseStorePath(line) ?? []))
}
