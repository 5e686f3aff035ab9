import { type MappingId, mappingIdOf, type TargetName } from '@davit/documents'

import type { ObservedMapping } from './observed-mapping.ts'

/** What there are records of, under the names that its targets have there: one whose name has gone to another machine is observed as `NAME@…`. */
export function recordedIn(observed: readonly ObservedMapping[]): ReadonlySet<MappingId> {
  const named = (target: TargetName) => target.replace(/@.*$/s, '') as TargetName
  return new Set(observed.map(({ mapping }) => mappingIdOf({ ...mapping, target: named(mapping.target) })))
}
