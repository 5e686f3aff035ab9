import { randomBytes } from 'node:crypto'

import type { Manifest } from '@davit/documents'
import { beginTrial, definitionOf, type StepBack } from '@davit/target'
import { writesRecord } from '@davit/target-runtime'
import { activitiesOf, identityOf, isEmpty, targetLabelOf, wayBack } from '@davit/transition'

import { say } from '../messages.ts'
import type { Plan } from '../plan-for.ts'
import type { ArmedTarget, TrialTerms } from './trial-terms.ts'

/** Has the targets that a plan changes go back by themselves, unless they are confirmed; the caller ends what was begun. */
export async function beginTrials(
  next: Manifest,
  plan: Plan,
  { terms, armed }: { readonly terms: TrialTerms; readonly armed: ArmedTarget[] },
): Promise<void> {
  const { profile, confirm, report, token, timeoutSeconds } = terms
  if (isEmpty(plan.transition)) return
  const id = randomBytes(16).toString('hex')
  const changed = new Set(activitiesOf(plan.transition).map(targetLabelOf))
  const way = wayBack(plan.transition, plan.deployed.observed)
  const begin = async (label: string) => {
    const place = plan.deployed.places.get(label)
    if (place === undefined) throw new Error(`there is no place '${label}'`)
    const steps = way.filter(({ placed }) => targetLabelOf(placed) === label)
    const machine = await confirm.connections.on(place)
    const trial = { target: place.name, profile, id }
    armed.push({ label, place, machine, trial, steps })
    const limitSeconds = timeoutSeconds ?? LIMIT_SECONDS
    const stepsBack = steps.map((step) => stepBack(step, { next, plan }))
    const survival = await beginTrial(machine, trial, {
      token,
      seconds: confirm.seconds,
      limitSeconds,
      steps: stepsBack,
    })
    if (survival === 'none') report(say('trial-not-survived', { target: label }))
  }
  const begun = await Promise.allSettled([...changed].map(begin))
  armed.sort((left, right) => (left.label < right.label ? -1 : 1))
  const failed = begun.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  report(say('trial-begun', { targets: [...changed].toSorted(), seconds: confirm.seconds }))
}

/** By default, how long an activity may take on the way back; the next one has to wait for it. */
const LIMIT_SECONDS = 600

/** A service that is active under its new settings is stopped with these. */
function stepBack(
  { step, id, placed: { mapping } }: ArmedTarget['steps'][number],
  { next, plan }: { readonly next: Manifest; readonly plan: Plan },
): StepBack {
  const isNew = activitiesOf(plan.transition).some((one) => writesRecord(one.kind) && identityOf(one) === id)
  const recorded = plan.deployed.observed.find((one) => identityOf(one) === id)?.definition
  const definition = step === 'stop' && isNew ? definitionOf(next, mapping) : recorded
  return { step, mapping, definition }
}
