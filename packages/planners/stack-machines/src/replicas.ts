import { type CompiledStack, finding, type Instance, placeOf, type StackFinding } from '@davit/stack'
import { isAutoscaler, leavesOf, scaledBy } from './endpoints.ts'

/** Returns how often each leaf runs that an autoscaler names; all others run once. */
export function replicasOf({ instances }: CompiledStack, findings: StackFinding[]): ReadonlyMap<Instance, number> {
  const replicas = new Map<Instance, number>()
  for (const autoscaler of [...instances.values()].filter(isAutoscaler)) {
    const [target, count] = [scaledBy(autoscaler), countOf(autoscaler)]
    if (target === undefined || count === undefined) {
      const { fqn, spot } = autoscaler
      const message = `'${fqn}' does not say what runs how often`
      const hint = 'name a service as `target`; `replicas` or `min` are whole numbers above 0'
      findings.push(finding('MU610', [fqn], { message, place: placeOf(spot), hint }))
      continue
    }
    for (const leaf of leavesOf(target)) replicas.set(leaf, Math.max(count, replicas.get(leaf) ?? 1))
  }
  return replicas
}

function countOf({ properties }: Instance): number | undefined {
  const count = properties.get('replicas') ?? properties.get('min') ?? 1
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 1 ? count : undefined
}
