import { compareText } from '@davit/languages'
import { stronglyConnectedComponents } from '@davit/service-graph'
import type { Compilation } from '../compilation.ts'
import type { Instance } from './instance.ts'

/** Reports services that wait for each other, or for themselves. */
export function checkGraph(c: Compilation, instances: readonly Instance[]): void {
  const cycles = stronglyConnectedComponents(instances, ({ dependsOn }) => dependsOn)
    .filter(([first, second]) => second !== undefined || first?.dependsOn.includes(first))
    .map((cycle) => cycle.toSorted(byFqn))
    .toSorted(([left], [right]) => (left && right ? byFqn(left, right) : 0))
  for (const cycle of cycles) {
    const [first] = cycle
    if (first !== undefined)
      c.report(
        'MU600',
        cycle.map(({ fqn }) => fqn),
        { spot: first.spot },
      )
  }
}

function byFqn(left: Instance, right: Instance): number {
  return compareText(left.fqn, right.fqn)
}

/** Orders instances so that those come first that others wait for; the least name among those that are ready (Kahn's algorithm). */
export function orderOf(instances: readonly Instance[]): readonly Instance[] {
  const waiting = new Map(instances.map((instance) => [instance, instance.dependsOn.length]))
  const dependants = dependantsOf(instances)
  const ready = heapOf(instances.filter(({ dependsOn }) => dependsOn.length === 0))
  const order: Instance[] = []
  for (let next = ready.take(); next !== undefined; next = ready.take()) {
    order.push(next)
    for (const dependant of dependants.get(next) ?? []) {
      const left = (waiting.get(dependant) ?? 0) - 1
      waiting.set(dependant, left)
      if (left === 0) ready.add(dependant)
    }
  }
  return order
}

function dependantsOf(instances: readonly Instance[]): ReadonlyMap<Instance, readonly Instance[]> {
  const dependants = new Map<Instance, Instance[]>()
  for (const instance of instances) {
    for (const service of instance.dependsOn) {
      const known = dependants.get(service)
      if (known === undefined) dependants.set(service, [instance])
      else known.push(instance)
    }
  }
  return dependants
}

interface Heap {
  add(instance: Instance): void
  /** Takes the one with the least name. */
  take(): Instance | undefined
}

function heapOf(instances: readonly Instance[]): Heap {
  // A sorted list is a heap already.
  const items = instances.toSorted(byFqn)
  const isLess = (left: number, right: number) => {
    const [one, other] = [items[left], items[right]]
    return one !== undefined && other !== undefined && byFqn(one, other) < 0
  }
  const swap = (left: number, right: number) => {
    const [one, other] = [items[left], items[right]]
    if (one === undefined || other === undefined) return
    items[left] = other
    items[right] = one
  }
  return {
    add(instance) {
      items.push(instance)
      for (let at = items.length - 1; at > 0 && isLess(at, (at - 1) >> 1); at = (at - 1) >> 1) swap(at, (at - 1) >> 1)
    },
    take() {
      swap(0, items.length - 1)
      const least = items.pop()
      for (let at = 0; ;) {
        const child = isLess(2 * at + 2, 2 * at + 1) ? 2 * at + 2 : 2 * at + 1
        if (!isLess(child, at)) return least
        swap(at, child)
        at = child
      }
    },
  }
}
