import { DavitError } from '@davit/diagnostics'
import type { Infrastructure, Manifest, ProfileName, TargetName } from '@davit/documents'
import { compareText } from '@davit/languages'
import type { DoubtTerms } from '@davit/observation'
import {
  groupByMachine,
  type MachineTargets,
  type ModuleReference,
  type Observation,
  type ReachedTargets,
} from '@davit/target'

import { examine } from './examine.ts'
import { say } from './messages.ts'
import { readMachine } from './read-machine.ts'
import type { Inventory, TargetInventory } from './target-inventory.ts'

export interface InventoryTerms extends Omit<DoubtTerms, 'coresOf'> {
  readonly profile: ProfileName
  readonly infrastructure: Infrastructure
  /** What should be there; without it, what the profiles of the targets say. */
  readonly expected: Manifest | undefined
  /** Whether to ask modules whether services run, and to look for everything else that is not as it should be. */
  readonly status: boolean
  /** Whether a module of `expected` may be called for a service without a record. */
  readonly mayCall: (module: ModuleReference) => boolean
}

/** Reads what is on the targets of a deployment, and changes nothing. Of targets that cannot be read, it tells why. */
export async function takeInventory(
  { targets, unreachable }: ReachedTargets<'query'>,
  terms: InventoryTerms,
): Promise<Inventory> {
  const groups = groupByMachine([...targets.values()])
  const read = (await Promise.all(groups.map((group) => inventoryOf(group, terms)))).flat()
  const unknown = [...unreachable].map(([target, error]) => unknownTarget(target, error))
  const all = [...read, ...unknown].toSorted((left, right) => compareText(left.target, right.target))
  for (const { target, error } of all) {
    if (error !== undefined) terms.report(say('target-unknown', { target, reason: error.message }))
  }
  return { profile: terms.profile, targets: all }
}

function unknownTarget(target: TargetName, error: DavitError): TargetInventory {
  return { target, error, instances: [], drift: [] }
}

async function inventoryOf(group: MachineTargets<'query'>, terms: InventoryTerms): Promise<readonly TargetInventory[]> {
  try {
    const read = await readMachine(group, terms)
    reportOthers(group, read.observation, terms)
    return await Promise.all(group.map((target) => examine(target, read, terms)))
  } catch (error) {
    terms.signal.throwIfAborted()
    if (!(error instanceof DavitError)) throw error
    return group.map(({ name }) => unknownTarget(name, error))
  }
}

/** Reports what the machine has under the names of targets that are not asked for. */
function reportOthers(
  group: MachineTargets<'query'>,
  { records }: Observation,
  { infrastructure, report }: InventoryTerms,
) {
  const others = new Set(records.map(({ mapping }) => mapping.target).filter((name) => !infrastructure.has(name)))
  for (const other of others) {
    const services = records.filter(({ mapping }) => mapping.target === other).map(({ service }) => service.name)
    report(say('records-of-other-target', { target: group[0].name, other, services: [...new Set(services)] }))
  }
}
