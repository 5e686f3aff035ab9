import { type MappingId, mappingIdOf } from '@davit/documents'

import type { ObservedMapping } from './observed-mapping.ts'

/** What there are records of, under the names that its targets have there, whatever machine has those names now. */
export function recordedIn(observed: readonly ObservedMapping[]): ReadonlySet<MappingId> {
  return new Set(observed.map(({ mapping }) => mappingIdOf(mapping)))
}
