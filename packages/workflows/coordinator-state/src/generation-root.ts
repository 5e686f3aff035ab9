import { createHash } from 'node:crypto'

import type { DeploymentPlace } from './place.ts'

/**
 * Name of the root that keeps what a generation needs in the store. It contains a hash of the place, since several deployments
 * and coordinators may share a store.
 */
export function generationRoot(place: DeploymentPlace, number: number): string {
  const hash = createHash('sha256').update(place).digest('hex')
  return `generation-${number}-${hash.slice(0, 32)}`
}
