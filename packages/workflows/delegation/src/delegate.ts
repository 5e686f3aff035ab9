import type { StorePath, TargetName } from '@davit/documents'
import type { Store } from '@davit/store'
import { groupByMachine, openTargetStore, type ReachedTargets } from '@davit/target'
import { delegationError } from './delegation-error.ts'
import type { DelegationOrder, WantedPackage } from './delegation-order.ts'
import { type DelegationPlan, planDelegation } from './plan-delegation.ts'
import { runDelegation, type RunDelegationOptions } from './run-delegation.ts'

/** Plans what has to be built, and where, so that all wanted packages become valid. */
export async function delegationPlan(order: DelegationOrder, store: Store): Promise<DelegationPlan> {
  const { packages, builders } = order
  const unbuilt = await store.unbuilt(packages.map((wanted) => wanted.package))
  return planDelegation({ unbuilt, wanted: targetsByDerivation(packages), builders, storeKind: store.kind })
}

function targetsByDerivation(packages: readonly WantedPackage[]): ReadonlyMap<StorePath, readonly TargetName[]> {
  const wanted = new Map<StorePath, TargetName[]>()
  for (const {
    target,
    package: { derivation },
  } of packages) {
    if (derivation === undefined) continue
    const targets = wanted.get(derivation)
    if (targets === undefined) wanted.set(derivation, [target])
    else if (!targets.includes(target)) targets.push(target)
  }
  return wanted
}

export interface DelegateOptions extends Omit<RunDelegationOptions, 'store' | 'targets' | 'unreachable'> {
  readonly store: Store
  readonly builders: DelegationOrder['builders']
}

/** Carries a plan out on the targets; throws one error for all packages that were not built. */
export async function delegate(
  plan: DelegationPlan,
  reached: ReachedTargets<'carry'>,
  options: DelegateOptions,
): Promise<void> {
  const { builders, store, report } = options
  for (const [target, error] of reached.unreachable) {
    report({ kind: 'failed', id: `connect ${target}`, target, step: 'connect', message: error.message })
  }
  const targets = groupByMachine(reached.targets.values()).flatMap((group) => {
    const targetStore = openTargetStore(group[0], store)
    return group.map(({ name }) => [name, { cores: builders.get(name)?.cores ?? 1, store: targetStore }] as const)
  })
  const { unreachable } = reached
  const outcome = await runDelegation(plan, { ...options, targets: new Map(targets), unreachable })
  if (outcome.failures.length > 0) throw delegationError(outcome)
}
