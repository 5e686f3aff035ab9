import {
  type BoundValue,
  type CompiledStack,
  finding,
  type Instance,
  placeOfValue,
  type StackFinding,
} from '@davit/stack'
import { isAutoscaler, leavesOf, scaledBy } from './endpoints.ts'

/** Returns how often each leaf runs that an autoscaler names; all others run once. */
export function replicasOf({ instances }: CompiledStack, findings: StackFinding[]): ReadonlyMap<Instance, number> {
  const replicas = new Map<Instance, number>()
  for (const autoscaler of [...instances.values()].filter(isAutoscaler)) {
    const [target, count] = [scaledBy(autoscaler), countOf(autoscaler)]
    if (target === undefined) findings.push(incomplete(autoscaler, NO_TARGET))
    else if (!isCount(count)) findings.push(incomplete(autoscaler, noCount(autoscaler, target.service, count)))
    else for (const leaf of leavesOf(target)) replicas.set(leaf, Math.max(count, replicas.get(leaf) ?? 1))
  }
  return replicas
}

interface Lack {
  readonly what: string
  readonly hint: string
  readonly property: string
}

function incomplete(leaf: Instance, { what, hint, property }: Lack): StackFinding {
  const message = `'${leaf.fqn}' ${what}`
  return finding('MU610', [leaf.fqn], { message, place: placeOfValue(leaf, property), hint })
}

const NO_TARGET: Lack = {
  what: 'does not say what it runs',
  hint: 'name a service as `target`',
  property: 'target',
}

function noCount(autoscaler: Instance, { fqn }: Instance, count: BoundValue): Lack {
  const what = `cannot run '${fqn}' ${JSON.stringify(count)} times`
  return { what, hint: '`replicas` or `min` are whole numbers above 0', property: countedBy(autoscaler) }
}

function countOf(autoscaler: Instance): BoundValue {
  return autoscaler.properties.get(countedBy(autoscaler)) ?? 1
}

function countedBy({ properties }: Instance): 'replicas' | 'min' {
  return properties.has('replicas') ? 'replicas' : 'min'
}

function isCount(count: BoundValue): count is number {
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 1
}
