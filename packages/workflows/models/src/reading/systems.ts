import type { System, TargetName } from '@davit/documents'
import type { ArchitectureModel } from '@davit/normalization'

/** Returns the systems of an infrastructure in order; targets that name none have the coordinator's. */
export function systemsOf(infrastructure: ArchitectureModel['infrastructure'], coordinator: System): readonly System[] {
  const systems = Array.from(infrastructure.values(), ({ system }) => system ?? coordinator)
  return systems.length === 0 ? [coordinator] : [...new Set(systems)].sort()
}

export function systemOfTarget(
  infrastructure: ArchitectureModel['infrastructure'],
  coordinator: System,
): (target: TargetName) => System {
  const [first = coordinator] = systemsOf(infrastructure, coordinator)
  return (target) => (infrastructure.has(target) ? (infrastructure.get(target)?.system ?? coordinator) : first)
}

/** Evaluates a model for each system; only once if the model is not a function. */
export async function forEachSystem<Value>(
  systems: readonly System[],
  { isFunction, evaluate }: { readonly isFunction: boolean; evaluate(system: System): Promise<Value> },
): Promise<ReadonlyMap<System, Value>> {
  const values = new Map<System, Value>()
  for (const system of systems) {
    const [same] = isFunction ? [] : values.values()
    values.set(system, same ?? (await evaluate(system)))
  }
  return values
}
