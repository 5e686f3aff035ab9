import type { BoundValue, Capability, Instance } from '@davit/stack'
import { isCapability } from '@davit/stack'

/** Returns the services of `target` and `targets`. */
export function targetsOf({ properties }: Instance): readonly Capability[] {
  const many = properties.get('targets')
  const values = [properties.get('target') ?? null, ...(Array.isArray(many) ? (many as readonly BoundValue[]) : [])]
  return values.filter(isCapability)
}
