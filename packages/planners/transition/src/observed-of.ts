import type { Infrastructure, Manifest } from '@davit/documents'

import type { ObservedMapping } from './observed-mapping.ts'
import { placedServices } from './placed-service.ts'

/** Uses a manifest instead of the targets' records: all mappings on targets of `reachable` count as active. */
export function observedOf(manifest: Manifest, reachable: Infrastructure): readonly ObservedMapping[] {
  return [...placedServices(manifest).values()]
    .filter(({ mapping }) => reachable.has(mapping.target))
    .map(({ mapping, service }) => ({ mapping, service, state: 'active', running: false }))
}
