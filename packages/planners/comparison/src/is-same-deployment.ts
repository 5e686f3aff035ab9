import type { Manifest } from '@davit/documents'

import { compareManifests } from './compare-manifests.ts'
import { hasDifferences } from './difference.ts'

/** Whether two manifests say the same of their targets, whatever they say of services that no target has. */
export function isSameDeployment(one: Manifest, other: Manifest): boolean {
  return !hasDifferences(compareManifests(deployed(one), deployed(other)))
}

function deployed(manifest: Manifest): Manifest {
  const placed = new Set(manifest.serviceMappings.map(({ service }) => service))
  return { ...manifest, services: new Map([...manifest.services].filter(([key]) => placed.has(key))) }
}
