import type { PlacementModel } from '@davit/normalization'
import { entriesOf, isObject } from './reading/part.ts'
import { tableOf } from './reading/plain.ts'
import { serviceReference } from './reading/service-names.ts'
import { targetGuard, type TargetNames } from './reading/target-names.ts'

export interface InverseDistribution {
  /** The infrastructure, each target with the `services` that the distribution places there. */
  readonly targets: object
  /** Makes attributes of services readable, once the services model has returned. */
  complete(services: unknown): void
}

export function inverseDistribution(
  distribution: ReadonlyMap<string, readonly PlacementModel[]>,
  { targets }: TargetNames,
): InverseDistribution {
  const services = new Map<string, object>()
  let isComplete = false
  const find = (name: string) => () => {
    const service = services.get(name)
    if (service !== undefined) return service
    const when = isComplete ? 'does not exist' : 'cannot be read while the services model is being evaluated'
    throw new Error(`service '${name}' of invDistribution ${when}`)
  }
  const servicesOf = servicesByTarget(distribution, (name) => serviceReference(name, find(name)))
  return {
    targets: tableOf(
      [...targets].map(([name, target]) => [name, withServices(target, servicesOf.get(name) ?? [])]),
      targetGuard(),
    ),
    complete(raw) {
      isComplete = true
      for (const [name, service] of entriesOf(raw) ?? []) {
        if (typeof name === 'string' && isObject(service)) services.set(name, service)
      }
    },
  }
}

function servicesByTarget(
  distribution: ReadonlyMap<string, readonly PlacementModel[]>,
  reference: (name: string) => object,
): ReadonlyMap<string, readonly (readonly [string, object])[]> {
  const byTarget = new Map<string, Map<string, object>>()
  for (const [service, placements] of distribution) {
    const referred = reference(service)
    for (const { target } of placements) {
      const services = byTarget.get(target) ?? new Map<string, object>()
      byTarget.set(target, services.set(service, referred))
    }
  }
  return new Map([...byTarget].map(([target, services]) => [target, [...services]]))
}

/** Copies the target, so that the infrastructure itself does not get the services. */
function withServices(target: object, services: readonly (readonly [string, object])[]): object {
  return Object.assign(Object.create(null) as object, target, { services: tableOf(services) })
}
