import { setTimeout as delay } from 'node:timers/promises'

import { DavitError } from '@davit/diagnostics'
import { forgetTrial, revertTrial, type TrialState, trialState } from '@davit/target'

import { say } from '../messages.ts'
import type { ArmedTarget, TrialTerms } from './trial-terms.ts'

/** What has become of a target whose deployment was not confirmed. */
export type Fate =
  | { readonly kind: 'back' }
  /** Some services could not be stopped or started. */
  | { readonly kind: 'not-all'; readonly failed: readonly string[] }
  | { readonly kind: 'confirmed' }
  | { readonly kind: 'going-back' }
  | { readonly kind: 'unknown'; readonly reason: string }

export interface FateOfTarget {
  readonly target: string
  readonly fate: Fate
}

/** Tells what has become of a target that knows nothing of its trial. */
export type Forgotten = (one: ArmedTarget) => Fate

type Terms = TrialTerms & { readonly forgotten: Forgotten }

/** Has all targets go back, and waits until they have, as far as they can be asked; reports what has become of each. */
export async function goBack(armed: readonly ArmedTarget[], terms: Terms): Promise<readonly FateOfTarget[]> {
  const fates = await Promise.all(
    armed.map(async (one) => {
      const fate = await fateOf(one, terms).catch((error: unknown): Fate => {
        if (!(error instanceof DavitError)) throw error
        return { kind: 'unknown', reason: error.message }
      })
      return { target: one.label, fate }
    }),
  )
  for (const { target, fate } of fates) reportFate(target, fate, terms)
  return fates
}

async function fateOf(one: ArmedTarget, { confirm, forgotten }: Terms): Promise<Fate> {
  await revertTrial(one.machine, one.trial)
  const end = performance.now() + (one.machine.answerSeconds + confirm.seconds) * 1000
  for (;;) {
    const state = await trialState(one.machine, one.trial)
    if (state.kind === 'ended') {
      await forgetTrial(one.machine, one.trial)
      return endOf(state, one)
    }
    if (state.kind === 'none') return forgotten(one)
    if (performance.now() > end) return { kind: 'going-back' }
    await delay(PAUSE_MILLISECONDS)
  }
}

const PAUSE_MILLISECONDS = 250

function endOf({ failed }: Extract<TrialState, { kind: 'ended' }>, { steps }: ArmedTarget): Fate {
  if (failed.length === 0) return { kind: 'back' }
  const nameOf = (name: string) =>
    steps.find(({ placed: { mapping } }) => `${mapping.container}:${mapping.service}`.startsWith(name))?.placed.service
      .name ?? name
  return { kind: 'not-all', failed: failed.map(({ step, name }) => `${step} '${nameOf(name)}'`) }
}

function reportFate(target: string, fate: Fate, { report, confirm }: TrialTerms): void {
  switch (fate.kind) {
    case 'back':
      return report(say('trial-went-back', { target }))
    case 'not-all':
      return report(say('trial-not-all-back', { target, failed: fate.failed }))
    case 'confirmed':
      return report(say('trial-was-confirmed', { target }))
    case 'going-back':
      return report(say('trial-goes-back', { target }))
    case 'unknown':
      return report(say('trial-unknown', { target, reason: fate.reason, seconds: confirm.seconds }))
  }
}
