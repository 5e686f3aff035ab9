import { DavitError } from '@davit/diagnostics'
import { type Manifest, type MappingId, mappingIdOf, type ServiceMapping } from '@davit/documents'
import { askUnrecorded, definitionOf, findModules, type ShellTarget } from '@davit/target'

import type { ReadMachine } from './read-machine.ts'
import type { InventoryTerms } from './take-inventory.ts'

interface Unrecorded extends Pick<ReadMachine, 'modules'> {
  /** Mappings that should be there, and have no record. */
  readonly mappings: readonly ServiceMapping[]
  readonly expected: Manifest
}

/** Finds services that run although nothing is recorded of them, as far as their modules can tell. */
export async function unrecordedOn(
  { machine }: ShellTarget<'query'>,
  { mappings, expected, modules }: Unrecorded,
  { profile, signal, expected: given, mayCall }: Pick<InventoryTerms, 'profile' | 'signal' | 'expected' | 'mayCall'>,
): Promise<ReadonlySet<MappingId>> {
  const definitions = mappings.map((mapping) => ({ mapping, definition: definitionOf(expected, mapping) }))
  const references = [...new Set(definitions.map(({ definition }) => definition.module))]
  const found = modules ?? (await findModules(machine, references))
  const running: MappingId[] = []
  for (const { mapping, definition } of definitions) {
    // What the profile of a target says is what was deployed there.
    if (given !== undefined && !mayCall(definition.module)) continue
    if (found.get(definition.module)?.declared.includes('status') !== true) continue
    signal.throwIfAborted()
    const question = { profile, mapping, definition, timeoutSeconds: STATUS_SECONDS }
    // One after the other: there are few, and their modules may be slow.
    // oxlint-disable-next-line no-await-in-loop
    const status = await askUnrecorded(machine, question).catch((error: unknown) => {
      // It counts as missing, which the next run will find out.
      if (!(error instanceof DavitError)) throw error
    })
    if (status === 'runs') running.push(mappingIdOf(mapping))
  }
  return new Set(running)
}

const STATUS_SECONDS = 30
