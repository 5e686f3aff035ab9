import { hasCode } from '@davit/diagnostics'
import type { ProfileName, ServiceMapping } from '@davit/documents'

import { badAnswer } from './helper/answer-lines.ts'
import type { Machine } from './machine.ts'
import type { ActivityDefinition } from './records/activity.ts'
import { resolvedDefinition, secretFields } from './records/secrets.ts'

/** A trial: a target goes back to what was active before by itself, unless it is told in time that all is well. */
export interface Trial {
  /** Name of the target on its machine. */
  readonly target: string
  readonly profile: ProfileName
  /** Made by the run, and new for each trial. */
  readonly id: string
}

/** A service that a target stops, or starts again, on the way back. */
export interface StepBack {
  readonly step: 'stop' | 'start'
  readonly mapping: ServiceMapping
  /** What its module is called with; only its secrets are sent, as the record has everything else. */
  readonly definition: ActivityDefinition | undefined
}

export interface TrialTerms {
  /** Token of the lock. */
  readonly token: string
  /** How long the target waits for a sign of life, and for the confirmation. */
  readonly seconds: number
  /** Limit of each activity on the way back. */
  readonly limitSeconds: number
  /** In the order in which the target goes back. */
  readonly steps: readonly StepBack[]
}

/** How a target would go back after a restart; `none` if it would only do so when davit asks for something. */
export type Survival = (typeof SURVIVALS)[number]
const SURVIVALS = ['systemd', 'openrc', 'cron', 'none'] as const

/** Has a target keep what is active, and go back to it unless the trial is confirmed. */
export async function beginTrial(machine: Machine<'trial'>, trial: Trial, terms: TrialTerms): Promise<Survival> {
  const { target, profile, id } = trial
  const { token, seconds, limitSeconds, steps } = terms
  const words = await Promise.all(steps.map((step) => wordsOf(step, machine)))
  const numbers = [String(seconds), String(limitSeconds)] as const
  const lines = await machine.request('trial_begin', [target, profile, token, id, ...numbers, ...words.flat()])
  const survival = SURVIVALS.find((one) => lines.includes(`survives ${one}`))
  if (survival === undefined) throw badAnswer(machine.address)
  return survival
}

async function wordsOf({ step, mapping, definition }: StepBack, { secrets }: Machine<'trial'>) {
  const known = definition === undefined ? undefined : await resolvedDefinition(mapping, definition, secrets)
  return [step, mapping.container, mapping.service, ...(known === undefined ? [] : secretFields(known))]
}

/** Begins the time of a trial anew. */
export async function extendTrial(
  machine: Machine<'trial'>,
  { target, profile, id }: Trial,
  seconds: number,
): Promise<void> {
  await machine.request('trial_extend', [target, profile, id, String(seconds)])
}

/** Has a target go back now; does nothing if it has nothing to confirm. */
export async function revertTrial(machine: Machine<'trial'>, { target, profile, id }: Trial): Promise<void> {
  await machine.request('trial_revert', [target, profile, id])
}

/** Allows activities under the lock of a run again whose target has gone back. */
export async function forgetTrial(machine: Machine<'trial'>, { target, profile, id }: Trial): Promise<void> {
  await machine.request('trial_forget', [target, profile, id])
}

export type TrialState =
  /** It can be confirmed. */
  | { readonly kind: 'armed' }
  /** The target goes back. */
  | { readonly kind: 'back' }
  /** The target has gone back, except for these steps. */
  | { readonly kind: 'ended'; readonly failed: readonly FailedStep[] }
  /** There is none: it was confirmed, or never begun. */
  | { readonly kind: 'none' }

export interface FailedStep {
  readonly step: 'stop' | 'start'
  /** Name of the directory of its record: container and service key, perhaps cut. */
  readonly name: string
}

export async function trialState(
  machine: Machine<'trial' | 'confirm'>,
  { target, profile, id }: Trial,
): Promise<TrialState> {
  const [kind, ...failures] = await machine.request('trial_state', [target, profile, id])
  if (kind === 'armed' || kind === 'back' || kind === 'none') return { kind }
  if (kind !== 'ended') throw badAnswer(machine.address)
  return { kind, failed: failures.flatMap(failedStep) }
}

function failedStep(line: string): readonly FailedStep[] {
  const [, step, name] = /^failed (stop|start) ([\w.+~-]+:[\w.+~-]+)$/.exec(line) ?? []
  return name === undefined ? [] : [{ step: step as FailedStep['step'], name }]
}

/** Ends a trial, so that its target stays as it is; returns false if it goes back, or has gone back. */
export async function confirmTrial(machine: Machine<'confirm'>, trial: Trial): Promise<boolean> {
  try {
    await machine.request('trial_confirm', [trial.target, trial.profile, trial.id])
    return true
  } catch (error) {
    // The answer to an earlier request was lost.
    if (hasCode(error, 'no-trial')) return (await trialState(machine, trial)).kind === 'none'
    if (hasCode(error, 'going-back')) return false
    throw error
  }
}
