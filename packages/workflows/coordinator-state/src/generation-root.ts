import { createHash } from 'node:crypto'

import type { DeploymentPlace } from './place.ts'

/**
 * The root of a store that keeps what a generation needs. Of this deployment of this coordinator alone: several may share a
 * store, and names run together in many ways.
 */
export function generationRoot(place: DeploymentPlace, number: number): string {
  const hash = createHash('sha256').update(place).digest('hex')
  return `generation-${number}-${hash.slice(0, 32)}`
}
