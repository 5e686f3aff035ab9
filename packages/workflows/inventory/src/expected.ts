import { type Manifest, storeOf, type TargetName } from '@davit/documents'
import type { CurrentProfile } from '@davit/target'

import type { InventoryTerms } from './take-inventory.ts'

/** The part of what should be there that concerns a target; undefined if nobody can tell. */
export function expectedOn(
  target: TargetName,
  profile: CurrentProfile | undefined,
  { expected, infrastructure }: Pick<InventoryTerms, 'expected' | 'infrastructure'>,
): Manifest | undefined {
  if (expected !== undefined) {
    return { ...expected, serviceMappings: expected.serviceMappings.filter((mapping) => mapping.target === target) }
  }
  const { path, manifest } = profile ?? {}
  if (path === undefined || manifest === undefined) return undefined
  return {
    store: storeOf(path),
    profiles: new Map([[target, path]]),
    services: manifest.services,
    infrastructure,
    serviceMappings: manifest.serviceMappings,
    snapshotMappings: manifest.snapshotMappings,
  }
}
