import { DavitError } from '@davit/diagnostics'
import type { Manifest } from '@davit/documents'
import { extendTrial } from '@davit/target'
import type { TransitionOutcome } from '@davit/transition-runner'

import { say } from '../messages.ts'
import type { Plan } from '../plan-for.ts'
import { beginTrials } from './begin-trials.ts'
import { confirmAnew, FORGOTTEN, type Refusal } from './confirm-anew.ts'
import { type FateOfTarget, type Forgotten, goBack } from './go-back.ts'
import type { ArmedTarget, TrialTerms } from './trial-terms.ts'
import { undone } from './undone.ts'

/**
 * Carries out a plan whose targets go back by themselves, unless all of them can be reached over new connections afterwards. Returns
 * `completed` only if all were confirmed.
 */
export async function onTrial(
  next: Manifest,
  plan: Plan,
  { terms, apply }: { readonly terms: TrialTerms; readonly apply: () => Promise<TransitionOutcome> },
): Promise<TransitionOutcome> {
  const armed: ArmedTarget[] = []
  const told = new Set<ArmedTarget>()
  const back = async (forgotten: Forgotten) => goBack(armed, { ...terms, forgotten })
  const orBack = (forgotten: Forgotten) => async (error: unknown) => {
    await back(forgotten)
    throw error
  }
  // Until all trials have begun, nothing is changed.
  await beginTrials(next, plan, { terms, armed }).catch(orBack(() => ({ kind: 'back' })))
  const forgotten: Forgotten = (one) => (told.has(one) ? { kind: 'confirmed' } : { kind: 'unknown', reason: FORGOTTEN })
  const outcome = await living(armed, terms, apply).catch(orBack(forgotten))
  if (armed.length === 0) return outcome
  if (outcome.kind !== 'completed') return undone(outcome, await back(forgotten))
  const refusals = await confirmAnew(armed, { ...terms, told })
  const targets = armed.map(({ label }) => label).toSorted()
  if (refusals.length > 0) throw notConfirmed(refusals, await back(forgotten))
  terms.report(say('trial-confirmed', { targets }))
  return outcome
}

/** Sends signs of life during the work, and one after it. */
async function living<Result>(
  armed: readonly ArmedTarget[],
  { confirm: { seconds } }: TrialTerms,
  work: () => Promise<Result>,
): Promise<Result> {
  // Whether one has arrived, the target says in the end.
  const live = () =>
    Promise.all(armed.map(({ machine, trial }) => extendTrial(machine, trial, seconds).catch(() => {})))
  const timer = setInterval(() => void live(), seconds * 250)
  try {
    const result = await work()
    const last = live()
    await Promise.race([last, new Promise((resolve) => setTimeout(resolve, seconds * 1000).unref())])
    return result
  } finally {
    clearInterval(timer)
  }
}

function notConfirmed(refusals: readonly Refusal[], fates: readonly FateOfTarget[]): DavitError {
  const isBack = fates.every(({ fate }) => fate.kind === 'back')
  const message = isBack ? 'everything is as it was before' : 'not everything is known to be as it was before'
  return new DavitError('not-confirmed', `the deployment was not confirmed: ${message}`, {
    exitStatus: isBack ? NOT_CONFIRMED : NOT_ALL_BACK,
    fields: { targets: fates.map(({ target, fate }) => ({ target, state: fate.kind })) },
    diagnostics: refusals.map(({ target, reason }) => ({
      severity: 'error',
      message: `cannot confirm '${target}' over a new connection: ${reason}`,
    })),
    hint: 'the same command tries again; it waits for targets that still go back, and plans from what it finds',
  })
}

const NOT_CONFIRMED = 1
const NOT_ALL_BACK = 2
