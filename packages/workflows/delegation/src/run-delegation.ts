import { setMaxListeners } from 'node:events'
import { type Limiter, limiter } from '@davit/connection'
import type { Report } from '@davit/diagnostics'
import type { StorePath, TargetName } from '@davit/documents'
import { runGraph } from '@davit/service-graph'
import type { TargetBuildOutcome, TargetStore } from '@davit/target'
import { buildPlaceOf, MAX_CALLS_OF_MACHINE } from './build-places.ts'
import type { CoordinatorStore } from './coordinator-store.ts'
import type { DelegatedBuild, DelegationPlan } from './plan-delegation.ts'
import { type Transfers, transfersOf } from './transfers.ts'

/** A target that was reached and can build. */
export interface BuilderTarget {
  readonly cores: number
  /** Shared by all targets that are one machine. */
  readonly store: TargetStore
}

export interface RunDelegationOptions {
  readonly store: CoordinatorStore
  readonly targets: ReadonlyMap<TargetName, BuilderTarget>
  readonly unreachable: ReadonlyMap<TargetName, Error>
  /** How many machines to send to, or fetch from, at a time. */
  readonly maxTransfers: number
  /** Whether targets first fetch from their own caches what they can. */
  readonly useSubstitutes: boolean
  readonly report: Report
  readonly signal: AbortSignal
}

export interface DelegationOutcome {
  readonly failures: readonly BuildFailure[]
  /** Builds that were not attempted, because they need one that failed. */
  readonly skipped: readonly DelegatedBuild[]
}

export type BuildFailure =
  | { readonly kind: 'build'; readonly build: DelegatedBuild; readonly reason: string; readonly logEnd: string }
  /** The target failed; it is unknown whether the package can be built. */
  | { readonly kind: 'target'; readonly build: DelegatedBuild; readonly error: unknown }

/** Sends, builds and brings back, each as soon as possible. A failure stops only the builds that need its result. */
export async function runDelegation(plan: DelegationPlan, options: RunDelegationOptions): Promise<DelegationOutcome> {
  const { signal } = options
  signal.throwIfAborted()
  // Each build and transfer listens; Node warns of a leak at eleven.
  setMaxListeners(0, signal)
  const workshops = openWorkshops(plan, options)
  const failures: BuildFailure[] = []
  const settled = new Set<StorePath>()
  await runGraph(plan.builds, {
    limit: Number.POSITIVE_INFINITY,
    signal,
    async run(build) {
      const failure = await carryOut(build, workshops.get(build.target), options)
      settled.add(build.derivation)
      if (failure !== undefined) failures.push(failure)
      return failure === undefined
    },
  })
  signal.throwIfAborted()
  return { failures, skipped: [...plan.builds.values()].filter(({ derivation }) => !settled.has(derivation)) }
}

interface Workshop extends Transfers {
  build(build: DelegatedBuild): Promise<TargetBuildOutcome>
}

function openWorkshops(
  plan: DelegationPlan,
  { store, targets, maxTransfers, useSubstitutes, report, signal }: RunDelegationOptions,
): ReadonlyMap<TargetName, Workshop> {
  const machines = new Map<TargetStore, { readonly transfers: Transfers; readonly calls: Limiter }>()
  const shared = { plan, store, limiter: limiter(maxTransfers), useSubstitutes, report, signal }
  return new Map(
    [...targets].map(([target, { cores, store: targetStore }]) => {
      const transfers = transfersOf({ ...shared, target, targetStore })
      const machine = machines.get(targetStore) ?? { transfers, calls: limiter(MAX_CALLS_OF_MACHINE) }
      machines.set(targetStore, machine)
      const terms = { target, cores, targetStore, storeKind: store.kind, limiter: machine.calls, report, signal }
      return [target, { ...machine.transfers, build: buildPlaceOf(terms) }]
    }),
  )
}

async function carryOut(
  build: DelegatedBuild,
  workshop: Workshop | undefined,
  { unreachable }: RunDelegationOptions,
): Promise<BuildFailure | undefined> {
  if (workshop === undefined) return { kind: 'target', build, error: unreachable.get(build.target) }
  try {
    await workshop.send(build)
    const outcome = await workshop.build(build)
    if (outcome.kind === 'failed') return { ...outcome, kind: 'build', build }
    await workshop.fetch(build)
    return undefined
  } catch (error) {
    return { kind: 'target', build, error }
  }
}
