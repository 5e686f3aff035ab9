import type { EventSummary } from '@davit/nix'
import type { StorePath } from '@davit/documents'

import type { Machine } from '../machine.ts'
import type { TargetBuildOutcome } from '../target-store.ts'

export interface UnbuiltDerivations {
  readonly derivations: readonly StorePath[]
  /** What Nix reported during the build. */
  readonly summary: EventSummary
  readonly signal: AbortSignal
}

/** Limit of derivations whose failed dependency is looked up. */
const MAX_EXPLAINED = 100

/** Returns why each derivation was not built. One that waited for another gets the reason and log of that one. */
export async function nixFailures(
  machine: Machine<'carry'>,
  { derivations, summary, signal }: UnbuiltDerivations,
): Promise<ReadonlyMap<StorePath, TargetBuildOutcome>> {
  const own = ownFailures(summary)
  const outcomes = new Map<StorePath, TargetBuildOutcome>()
  for (const derivation of derivations) {
    const explained = own.get(derivation) ?? problemWith(derivation, summary)
    outcomes.set(derivation, explained ?? UNEXPLAINED)
  }
  const waited = derivations.filter((derivation) => outcomes.get(derivation) === UNEXPLAINED).slice(0, MAX_EXPLAINED)
  if (own.size === 0 || waited.length === 0) return outcomes
  await machine.nixStore.use(signal, async (client) => {
    for (const derivation of waited) {
      const culprit = (await client.closure([derivation])).find((path) => own.has(path))
      const failure = culprit === undefined ? undefined : own.get(culprit)
      if (failure !== undefined)
        outcomes.set(derivation, { ...failure, reason: `needs '${culprit}', which ${failure.reason}` })
    }
  })
  return outcomes
}

type Failure = TargetBuildOutcome & { readonly kind: 'failed' }

const UNEXPLAINED: Failure = { kind: 'failed', reason: 'was not built', logEnd: '' }

function ownFailures({ failures }: EventSummary): ReadonlyMap<StorePath, Failure> {
  return new Map(failures.map(({ derivation, reason, logEnd }) => [derivation, { kind: 'failed', reason, logEnd }]))
}

/** Finds a problem that concerns a derivation: one that names it, or one that names no derivation. */
function problemWith(derivation: StorePath, { problems, failures }: EventSummary): Failure | undefined {
  const named = problems.find((problem) => problem.includes(`'${derivation}'`) && !problem.startsWith('build of '))
  const problem = named ?? (failures.length === 0 ? problems.find((text) => !text.includes('.drv')) : undefined)
  return problem === undefined ? undefined : { kind: 'failed', reason: `failed: ${problem}`, logEnd: '' }
}
