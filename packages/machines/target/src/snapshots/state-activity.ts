import { randomBytes } from 'node:crypto'

import type { ProfileName, SnapshotMapping } from '@davit/documents'

import { badAnswer } from '../helper/answer-lines.ts'
import { RefusedRequest } from '../helper/helper.ts'
import type { Compressor } from '../helper/facts.ts'
import { MAX_LOSSES } from '../helper/reconnect.ts'
import { isConnectionLost, type Machine } from '../machine.ts'
import { type ActivityDefinition, type ActivityResult, NEVER_BEGAN, resultOf } from '../records/activity.ts'
import { beginOnce, type NotBegun } from '../records/begin-once.ts'
import { recordFields } from '../records/record.ts'
import { type ResolvedDefinition, resolvedDefinition, secretFields } from '../records/secrets.ts'

/** An activity that concerns the state of a component. Each can be repeated with the same result. */
export interface StateRequest {
  readonly activity: 'snapshot' | 'restore' | 'verify' | 'collect-garbage'
  readonly profile: ProfileName
  /** Token of the lock; taking a snapshot of what stays as it is needs none. */
  readonly token: string | undefined
  readonly mapping: SnapshotMapping
  readonly definition: ActivityDefinition
  readonly compressor: Compressor | 'none'
  /** Name of the snapshot to restore or to verify; by default it is the latest. */
  readonly snapshot?: string | undefined
  /** Name of the store that has the snapshot to verify, and is removed at the end; by default it is that of the target. */
  readonly aside?: string | undefined
  /** Time after which the module is stopped and the activity fails; without it, there is no limit. */
  readonly timeoutSeconds?: number | undefined
}

/** Without state, there is nothing of which a snapshot could be taken. */
export type StateResult = ActivityResult | NoState

interface NoState {
  readonly kind: 'no-state'
}

/**
 * Runs an activity to its end, after those that concern the state of the same component. If the helper or the connection is lost, the
 * activity goes on without it. Rejects if the machine cannot be asked how it ended, and with `lock-lost` if it was not allowed to begin.
 */
export async function performStateActivity(machine: Machine<'state'>, request: StateRequest): Promise<StateResult> {
  return resultOf(machine, request, () => statusOf(machine, request))
}

export interface Replacement extends Omit<StateRequest, 'activity' | 'snapshot'> {
  readonly snapshot: string
}

/**
 * Replaces state by a snapshot. What is there before is saved first, as the snapshot before that one, also if davit has not made it; if it
 * cannot be saved, nothing is replaced. Of a module that takes no snapshots, only what was just made, in order to be replaced, is replaced.
 */
export async function replaceState(machine: Machine<'state'>, request: Replacement): Promise<ActivityResult> {
  const saved = await performStateActivity(machine, {
    ...request,
    activity: 'snapshot',
    snapshot: BEFORE_IT_IS_REPLACED,
  })
  if (saved.kind === 'failed')
    return { ...saved, message: `what is there now cannot be saved, so it is not replaced: ${saved.message}` }
  if (saved.kind === 'not-begun') return saved
  const restored = await performStateActivity(machine, { ...request, activity: 'restore' })
  if (restored.kind === 'no-state') throw badAnswer(machine.address)
  return saved.kind === 'succeeded' && restored.kind === 'succeeded' ? { ...saved, ...restored } : restored
}

/** In place of a snapshot's name, for a snapshot: otherwise, none is taken of what davit has not activated as state that moves. */
export const WHATEVER_IS_THERE = 'any'
/** The same, but it fails if there is something and the module takes no snapshots. */
const BEFORE_IT_IS_REPLACED = 'replaced'

export async function statusOf(machine: Machine<'state'>, request: StateRequest): Promise<number | NotBegun | NoState> {
  for (let losses = 0; ; losses += 1) {
    const status = await tryOnce(machine, request)
    if (status !== NEVER_BEGAN || losses === MAX_LOSSES) return status
  }
}

async function tryOnce(machine: Machine<'state'>, request: StateRequest): Promise<number | NotBegun | NoState> {
  const id = randomBytes(12).toString('hex')
  const start = startFields(request, id, await resolvedDefinition(request.mapping, request.definition, machine.secrets))
  try {
    const begun = await beginOnce((sent) => machine.requestActivity('start_state', start, { sent }))
    if (begun.kind === 'not-begun') return begun
    return begun.kind === 'ended' ? begun.result : await awaited(machine, request, id)
  } catch (error) {
    if (!(error instanceof RefusedRequest)) throw error
    if (error.code === 'no-state') return { kind: 'no-state' }
    if (error.code !== 'already-running') throw error
    // An activity of another run, whose request is not known here.
    await awaited(machine, request, 'another')
    return tryOnce(machine, request)
  }
}

type StartFields = Parameters<Machine<'state'>['requestActivity']> & { readonly 0: 'start_state' }

function startFields(request: StateRequest, id: string, resolved: ResolvedDefinition): StartFields[1] {
  const { profile, token = '-', activity, timeoutSeconds = 0, mapping, compressor, snapshot = '-', aside } = request
  const { target, container, component, service } = mapping
  const place = [container, component, service, id, compressor, snapshot] as const
  const where = aside === undefined ? [] : ['-aside', aside]
  const fields = [...where, ...secretFields(resolved), ...recordFields(mapping, resolved.definition)]
  return [target, profile, token, activity, String(timeoutSeconds), ...place, ...fields]
}

async function awaited(machine: Machine<'state'>, { mapping }: StateRequest, id: string): Promise<number> {
  const { target, container, component } = mapping
  for (let losses = 0; ; losses += 1) {
    try {
      return await machine.requestActivity('await_state', [target, container, component, id])
    } catch (error) {
      if (!isConnectionLost(error) || losses === MAX_LOSSES) throw error
    }
  }
}
