import type { Spot } from '../finding.ts'
import type { Instance } from '../instances/instance.ts'

/** A service that a text names, and what was chosen in it. */
export interface NamedService {
  readonly kind: 'capability'
  /** The service that is named, where it was given: what waits for it waits for this one. */
  readonly service: Instance
  /** What was chosen: a service within it, or the service itself. */
  readonly chosen: Instance
  readonly port: number | undefined
}

/** A service that a property names. */
export interface Capability extends NamedService {
  /** Where the property names it. */
  readonly spot: Spot
}

/** The value of a property after its checks. Tables are Maps, so that objects are capabilities only. */
export type BoundValue =
  | null
  | boolean
  | number
  | string
  | readonly BoundValue[]
  | ReadonlyMap<string, BoundValue>
  | Capability

export function isCapability(value: BoundValue): value is Capability {
  return typeof value === 'object' && value !== null && 'kind' in value
}

/** Returns all capabilities in a value, at any depth. */
export function capabilitiesIn(value: BoundValue): readonly Capability[] {
  if (typeof value !== 'object' || value === null) return []
  if (isCapability(value)) return [value]
  return [...value.values()].flatMap(capabilitiesIn)
}
