import type { ProfileName, TargetName } from '@davit/documents'
import { decodeField, encodeField } from '@davit/target-runtime'

import { RefusedRequest } from './helper.ts'
import type { Machine } from './machine.ts'

export interface LockHolder {
  readonly token: string
  /** Who, as the holder said it (see deployment-lock). */
  readonly owner: string
  readonly since: Date
}

export interface LockRequest {
  readonly token: string
  readonly owner: string
  readonly leaseSeconds: number
  /** Token of a holder that is known to be dead, and may be replaced before its lease is over. */
  readonly deadToken?: string
}

export type LockAnswer =
  | { readonly kind: 'acquired'; readonly number: number }
  | { readonly kind: 'held'; readonly holder: LockHolder }

/** Takes the lock of a profile on a target; whose token holds it already is given it again. */
export async function acquireLock(machine: Machine, place: LockPlace, request: LockRequest): Promise<LockAnswer> {
  const fields = [request.token, encodeField(request.owner), String(request.leaseSeconds)]
  if (request.deadToken !== undefined) fields.push(request.deadToken)
  try {
    const lines = await machine.request('lock', [place.target, place.profile, ...fields])
    return { kind: 'acquired', number: Number(/^number (\d+)$/.exec(lines[0] ?? '')?.[1]) }
  } catch (error) {
    if (!(error instanceof RefusedRequest) || error.code !== 'already-locked') throw error
    const holder = parseHolder(error.lines)
    if (holder === undefined) throw error
    return { kind: 'held', holder }
  }
}

/** Renews the lock of who has held it since; a DavitError 'lock-lost' for everybody else. */
export async function renewLock(
  machine: Machine,
  place: LockPlace,
  { token, leaseSeconds }: Pick<LockRequest, 'token' | 'leaseSeconds'>,
): Promise<void> {
  await machine.request('renew', [place.target, place.profile, token, String(leaseSeconds)])
}

export interface LockPlace {
  readonly target: TargetName
  readonly profile: ProfileName
}

/** A DavitError 'not-locked' when nobody holds it, 'lock-lost' when somebody else does. */
export async function releaseLock(machine: Machine, place: LockPlace, token: string): Promise<void> {
  await machine.request('unlock', [place.target, place.profile, token])
}

export async function lockHolder(machine: Machine, place: LockPlace): Promise<LockHolder | undefined> {
  return parseHolder(await machine.request('lock_state', [place.target, place.profile]))
}

function parseHolder(lines: readonly string[]): LockHolder | undefined {
  const [, token, owner, since] = /^holder (\S+) (\S+) (\d+)$/.exec(lines[0] ?? '') ?? []
  if (token === undefined || owner === undefined) return undefined
  return { token, owner: decodeField(owner), since: new Date(Number(since) * 1000) }
}
