import { setTimeout as delay } from 'node:timers/promises'

import { DavitError } from '@davit/diagnostics'
import { confirmTrial, type Machine, trialState } from '@davit/target'

import type { ArmedTarget, TrialTerms } from './trial-terms.ts'

/** Why a target was not confirmed. */
export interface Refusal {
  readonly target: string
  readonly reason: string
}

/**
 * Confirms all targets over new connections, or none: first all are asked whether they answer. What cannot be reached is tried again
 * until the time to confirm is over. An interruption ends this, unless a target may have been confirmed: then all are. Returns why targets
 * were not confirmed; nothing if all were.
 */
export async function confirmAnew(
  armed: readonly ArmedTarget[],
  { told, ...terms }: TrialTerms & Pick<AttemptTerms, 'told'>,
): Promise<readonly Refusal[]> {
  const { confirm, signal } = terms
  // Not AbortSignal.timeout(), which AbortSignal.any() does not keep from being collected, so that it would never fire.
  const time = new AbortController()
  const timer = setTimeout(() => time.abort(), confirm.seconds * 1000)
  const unlessTold = () => {
    if (told.size === 0) time.abort()
  }
  if (signal.aborted) unlessTold()
  signal.addEventListener('abort', unlessTold)
  try {
    return await confirmUntil(time.signal, armed, { terms, told })
  } finally {
    signal.removeEventListener('abort', unlessTold)
    clearTimeout(timer)
  }
}

async function confirmUntil(
  over: AbortSignal,
  armed: readonly ArmedTarget[],
  known: Omit<AttemptTerms, 'over'>,
): Promise<readonly Refusal[]> {
  let last: readonly Refusal[] | undefined
  for (;;) {
    const attempt = await attemptOf(armed, { ...known, over })
    if (attempt.isCut) return last ?? attempt.refusals
    last = attempt.refusals
    if (last.length === 0 || attempt.isFinal || over.aborted || known.terms.signal.aborted) return last
    await delay(PAUSE_MILLISECONDS, undefined, { signal: over }).catch(() => {})
  }
}

const PAUSE_MILLISECONDS = 500

interface Attempt {
  readonly refusals: readonly Refusal[]
  /** Whether another attempt is of no use. */
  readonly isFinal: boolean
  /** Whether it was ended because the time was over. */
  readonly isCut?: boolean
}

interface AttemptTerms {
  readonly terms: TrialTerms
  /** Targets that may have been confirmed. */
  readonly told: Set<ArmedTarget>
  readonly over: AbortSignal
}

async function attemptOf(armed: readonly ArmedTarget[], { terms, told, over }: AttemptTerms): Promise<Attempt> {
  const places = armed.map(({ place }) => place)
  try {
    return await terms.confirm.connections.anew(places, over, async (reached) => {
      const lost = armed.flatMap((one) => missing(one, reached.get(one.place)))
      if (lost.length > 0) return { refusals: lost, isFinal: false }
      const machineOf = (one: ArmedTarget) => reached.get(one.place) as Machine<'confirm'>
      const asked = await Promise.all(armed.map((one) => ask(one, machineOf(one), told)))
      if (asked.flat().length > 0) return { refusals: asked.flat(), isFinal: true }
      const refusals = await Promise.all(
        armed.map((one) => {
          told.add(one)
          return tell(one, machineOf(one))
        }),
      )
      return { refusals: refusals.flat(), isFinal: false }
    })
  } catch (error) {
    const reason = over.aborted ? noTime(terms) : reasonOf(error)
    return { refusals: armed.map(({ label: target }) => ({ target, reason })), isFinal: false, isCut: over.aborted }
  }
}

function noTime({ signal, confirm }: TrialTerms): string {
  return signal.aborted ? 'interrupted' : `no new connection within ${confirm.seconds} s`
}

function missing({ label: target }: ArmedTarget, found: Machine<'confirm'> | DavitError | undefined) {
  if (found !== undefined && !(found instanceof DavitError)) return []
  return [{ target, reason: found?.message ?? 'not reached' }]
}

/** Says why a target can no longer be confirmed. */
async function ask(one: ArmedTarget, machine: Machine<'confirm'>, told: ReadonlySet<ArmedTarget>) {
  const { kind } = await trialState(machine, one.trial)
  if (kind === 'armed' || (kind === 'none' && told.has(one))) return []
  return [{ target: one.label, reason: REASONS[kind] }]
}

/** Why a target that has lost its trial cannot be confirmed. */
export const FORGOTTEN = 'it knows nothing of this deployment any more'

const REASONS = {
  back: 'it goes back already, since its time was over',
  ended: 'it has gone back already, since its time was over',
  none: FORGOTTEN,
}

async function tell(one: ArmedTarget, machine: Machine<'confirm'>): Promise<readonly Refusal[]> {
  try {
    return (await confirmTrial(machine, one.trial)) ? [] : [{ target: one.label, reason: REASONS.back }]
  } catch (error) {
    return [{ target: one.label, reason: reasonOf(error) }]
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof DavitError)) throw error
  return error.message
}
