import type { Limiter } from '@davit/connection'
import { renderBytes, type Report } from '@davit/diagnostics'
import type { StorePath, TargetName } from '@davit/documents'
import type { TargetStore, Transferred } from '@davit/target'
import { inBatches } from './in-batches.ts'
import type { DelegatedBuild, DelegationPlan } from './plan-delegation.ts'
import type { CoordinatorStore } from './coordinator-store.ts'

/** Transfers between the coordinator and one machine, with one stream at a time in each direction. */
export interface Transfers {
  /** Sends the machine what a build needs. */
  send(build: DelegatedBuild): Promise<void>
  /** Brings the outputs of a build to the coordinator. */
  fetch(build: DelegatedBuild): Promise<void>
}

export interface TransferTerms {
  readonly plan: DelegationPlan
  readonly store: CoordinatorStore
  /** Name of a target of the machine, for messages. */
  readonly target: TargetName
  readonly targetStore: TargetStore
  /** Limits the transfers of all machines together. */
  readonly limiter: Limiter
  readonly useSubstitutes: boolean
  readonly report: Report
  readonly signal: AbortSignal
}

export function transfersOf(terms: TransferTerms): Transfers {
  const { limiter, signal } = terms
  const batches = (work: (builds: readonly DelegatedBuild[], terms: TransferTerms) => Promise<void>) =>
    inBatches<DelegatedBuild, void>({
      places: [Number.POSITIVE_INFINITY],
      signal,
      async work(builds) {
        await limiter.run(async () => {
          signal.throwIfAborted()
          await work(builds, terms)
        })
        return []
      },
    })
  return { send: batches(sendRequirements), fetch: batches(fetchOutputs) }
}

async function sendRequirements(builds: readonly DelegatedBuild[], terms: TransferTerms): Promise<void> {
  const { store, targetStore, useSubstitutes, signal } = terms
  const roots = requirementsOf(builds, terms)
  const closure = await store.closure(roots)
  const missing = new Set(await targetStore.missing(closure, { useSubstitutes, signal }))
  const paths = closure.filter((path) => missing.has(path))
  const step = `send inputs of ${namesOf(builds)}`
  if (paths.length > 0) await reported(terms, { id: 'send', step }, () => targetStore.send(paths, { signal }))
  await targetStore.protect(roots)
}

/** Paths that builds need on the machine; outputs of other builds have been brought to the coordinator by now. */
function requirementsOf(builds: readonly DelegatedBuild[], { plan, store }: TransferTerms): readonly StorePath[] {
  const roots = builds.flatMap(({ derivation, requires, needs }) => [
    ...(store.kind === 'nix' ? [derivation] : []),
    ...requires,
    ...needs.flatMap((need) => plan.builds.get(need)?.outputs ?? []),
  ])
  return [...new Set(roots)]
}

async function fetchOutputs(builds: readonly DelegatedBuild[], terms: TransferTerms): Promise<void> {
  const { store, targetStore, signal } = terms
  const outputs = builds.flatMap((build) => build.outputs)
  // The target may need the outputs itself, so it keeps them too; in a native store they become valid there only when fetched.
  if (store.kind === 'nix') await targetStore.protect(outputs)
  const derivations = builds.map(({ derivation }) => derivation)
  const step = `bring back ${namesOf(builds)}`
  await reported(terms, { id: 'fetch', step }, () => targetStore.fetch(derivations, { signal }))
  if (store.kind === 'native') await targetStore.protect(outputs)
  await store.protect(outputs)
}

async function reported(
  { report, target }: TransferTerms,
  { id, step }: { readonly id: string; readonly step: string },
  transfer: () => Promise<Transferred>,
): Promise<void> {
  const event = { id: `${id} ${target}`, target, step }
  report({ kind: 'started', ...event })
  try {
    const { paths, bytes } = await transfer()
    const amount =
      paths === 0 ? 'nothing was missing' : `${paths} ${paths === 1 ? 'package' : 'packages'}, ${renderBytes(bytes)}`
    report({ kind: 'finished', ...event, step: `${step} (${amount})`, bytes })
  } catch (error) {
    report({ kind: 'failed', ...event, message: error instanceof Error ? error.message : String(error) })
    throw error
  }
}

const NAMED = 3

function namesOf(builds: readonly DelegatedBuild[]): string {
  const names = builds.map(({ name }) => name)
  if (names.length <= NAMED) return names.join(', ')
  return `${names.slice(0, NAMED - 1).join(', ')} and ${names.length - NAMED + 1} others`
}
