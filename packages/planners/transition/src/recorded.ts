import { type MappingId, mappingIdOf } from '@davit/documents'

import type { ObservedMapping } from './observed-mapping.ts'

/** Ids of all recorded mappings, with the target names in the records, whatever machines have those names now. */
export function recordedIn(observed: readonly ObservedMapping[]): ReadonlySet<MappingId> {
  return new Set(observed.map(({ mapping }) => mappingIdOf(mapping)))
}
