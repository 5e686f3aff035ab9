import { DavitError } from '@davit/diagnostics'
import { type ObservedRecord, performActivity } from '@davit/target'
import type { Verb } from '@davit/target-runtime'

import { placeIn, type StateScene } from './scene.ts'
import type { StepOutcome } from './task.ts'

type Failure = Extract<StepOutcome, { readonly kind: 'failed' }>

/** Restores the state of an active service while it is stopped. It is started again as it was recorded, even if that fails. */
export async function restoreAtRest(
  record: ObservedRecord,
  restore: () => Promise<StepOutcome>,
  scene: StateScene,
): Promise<StepOutcome> {
  const stopped = await call('deactivate', record, scene)
  const outcome = stopped === undefined ? await asOutcome(restore) : failure('it cannot be stopped', stopped)
  const started = await call('activate', record, scene)
  if (started === undefined) return outcome
  const cause = outcome.kind === 'failed' ? `${outcome.message}; then ` : ''
  return failure(`${cause}it cannot be started again (the next davit-env does)`, started)
}

/** Calls the module; returns its failure, if any. */
async function call(
  activity: Verb,
  { mapping, service, definition }: ObservedRecord,
  scene: StateScene,
): Promise<Failure | undefined> {
  const { profile, token = '-', timeoutSeconds, report } = scene
  const { target, container } = mapping
  const event = {
    id: `${activity} ${target} ${container} ${mapping.service}`,
    target,
    step: `${activity} ${service.name} in ${container}`,
    activity: { kind: activity, service: service.name, container },
  }
  report({ ...event, kind: 'started' })
  const request = { profile, token, activity, mapping, timeoutSeconds, definition }
  const outcome = await asOutcome(async () => {
    const result = await performActivity(placeIn(scene, target).machine, request)
    return result.kind === 'not-begun' ? { kind: 'failed', message: result.message } : result
  })
  report(outcome.kind === 'failed' ? { ...event, ...outcome } : { ...event, kind: 'finished' })
  return outcome.kind === 'failed' ? outcome : undefined
}

/** A lost connection is a failure, after which the service is to be started all the same; a lost lock allows nothing more. */
async function asOutcome(work: () => Promise<StepOutcome>): Promise<StepOutcome> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DavitError) || error.code === 'lock-lost') throw error
    return { kind: 'failed', message: error.message }
  }
}

function failure(what: string, { message, log }: Failure): Failure {
  return { kind: 'failed', message: `${what}: ${message}`, ...(log === undefined ? {} : { log }) }
}
