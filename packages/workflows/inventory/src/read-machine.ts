import type { Manifest, TargetName } from '@davit/documents'
import {
  definitionOf,
  type FoundModule,
  type MachineInventory,
  type MachineTargets,
  type ModuleReference,
  readInventory,
} from '@davit/target'

import type { InventoryTerms } from './take-inventory.ts'

/** What a machine tells before any module is asked. */
export interface ReadMachine extends Omit<MachineInventory, 'modules'> {
  /** Modules of what should be there; undefined if nobody could tell what that is. */
  readonly modules: ReadonlyMap<ModuleReference, FoundModule> | undefined
}

/** Asks a machine for everything at once. */
export async function readMachine(
  group: MachineTargets<'query'>,
  { profile, expected, status }: InventoryTerms,
): Promise<ReadMachine> {
  const targets = group.map(({ name }) => name)
  const isKnown = expected !== undefined && status
  const references = isKnown ? modulesOn(expected, targets) : []
  const read = await readInventory(group[0].machine, { profile, targets, references })
  return { ...read, modules: isKnown ? read.modules : undefined }
}

function modulesOn(expected: Manifest, targets: readonly TargetName[]): readonly ModuleReference[] {
  const here = expected.serviceMappings.filter(({ target }) => targets.includes(target))
  return [...new Set(here.map((mapping) => definitionOf(expected, mapping).module))]
}
