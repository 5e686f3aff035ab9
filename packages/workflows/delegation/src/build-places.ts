import type { Limiter } from '@davit/connection'
import type { Report } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import type { TargetBuildOutcome, TargetStore } from '@davit/target'
import { inBatches } from './in-batches.ts'
import type { DelegatedBuild } from './plan-delegation.ts'

export interface BuildPlaceTerms {
  readonly target: TargetName
  readonly cores: number
  readonly targetStore: TargetStore
  readonly storeKind: 'native' | 'nix'
  /** Limits all calls to the machine. */
  readonly limiter: Limiter
  readonly report: Report
  readonly signal: AbortSignal
}

/** Returns a function that builds on one target, with all of its cores and no more. */
export function buildPlaceOf(terms: BuildPlaceTerms): (build: DelegatedBuild) => Promise<TargetBuildOutcome> {
  const { storeKind, cores, limiter, signal } = terms
  const places = storeKind === 'nix' ? [NIX_BATCH] : sharesOf(cores)
  return inBatches({ places, signal, work: (builds) => limiter.run(() => buildTogether(builds, terms)) })
}

/** Nix spreads builds over the cores itself, and builds shared inputs once; with many more builds in one call it is slow. */
const NIX_BATCH = 100
const MAX_CALLS = 3
/** Each call takes a channel of its own, of which sshd allows ten by default; others are for transfers and the helper. */
export const MAX_CALLS_OF_MACHINE = 6

/** Divides the cores among several calls, so that outputs that are ready early can be brought back early. */
function sharesOf(cores: number): readonly number[] {
  const calls = Math.min(cores, MAX_CALLS)
  return Array.from({ length: calls }, (_, call) => Math.floor((cores + call) / calls)).toReversed()
}

async function buildTogether(
  builds: readonly DelegatedBuild[],
  { target, targetStore, cores, storeKind, report, signal }: BuildPlaceTerms,
): Promise<readonly TargetBuildOutcome[]> {
  signal.throwIfAborted()
  const steps = builds.map(({ derivation, name }) => ({ id: `build ${derivation}`, target, step: `build ${name}` }))
  for (const step of steps) report({ kind: 'started', ...step })
  try {
    const derivations = builds.map(({ derivation }) => derivation)
    const usedCores = storeKind === 'nix' ? cores : builds.length
    const outcomes = await targetStore.build(derivations, { cores: usedCores, report, signal })
    outcomes.forEach((outcome, index) => reportEnd(report, steps[index] as Step, outcome))
    return outcomes
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    for (const step of steps) report({ kind: 'failed', ...step, message })
    throw error
  }
}

interface Step {
  readonly id: string
  readonly target: TargetName
  readonly step: string
}

function reportEnd(report: Report, step: Step, outcome: TargetBuildOutcome): void {
  if (outcome.kind === 'built') report({ kind: 'finished', ...step })
  else report({ kind: 'failed', ...step, message: outcome.reason, log: outcome.logEnd })
}
