import type { ProfileName, StorePath, StoreReference, TargetName } from '@davit/documents'
import { decodeField, encodeField } from '@davit/target-runtime'

import { lockThere, unlockThere } from './client/client-lock.ts'
import { badAnswer } from './helper/answer-lines.ts'
import { RefusedRequest } from './helper/helper.ts'
import type { Machine } from './machine.ts'
import { isBroken, MAX_LOSSES } from './helper/reconnect.ts'
import { onTarget } from './helper/refused-request.ts'
import { dropOriginal, holdOriginal } from './originals/hold-original.ts'

/** The holder of a lock, as the target reports it. Garbled values are undefined or empty; the lock counts as held all the same. */
export interface LockHolder {
  readonly token: string | undefined
  /** The owner, in the encoding of deployment-lock. */
  readonly owner: string
  readonly since: Date | undefined
  /** End of the lease, unless it is renewed. Undefined if it has not begun, or was not asked for. */
  readonly until?: Date | undefined
  /** Whether the lease is over by the clock of the target, so that whoever asks next gets the lock. */
  readonly isOver?: boolean
}

export interface LockRequest {
  readonly token: string
  readonly owner: string
  readonly leaseSeconds: number
  /** Token of a holder that is known to be dead: it is replaced before its lease is over. */
  readonly deadToken?: string
  /** What the target is told of the run that takes the lock; it stays there until it is reached or withdrawn. */
  readonly wanted?: WantedProfile | undefined
}

/** The profile that a run is about to make current on a target. */
export interface WantedProfile {
  readonly path: StorePath
  /** How many targets are told of the run: one that did not tell all of them had not begun. */
  readonly targets: number
  readonly store: StoreReference['kind']
}

export type LockAnswer =
  | { readonly kind: 'acquired'; readonly number: number }
  | { readonly kind: 'held'; readonly holder: LockHolder }

/** Takes the lock of a profile on a target; succeeds again with the token that already holds it. */
export async function acquireLock(machine: Machine, place: LockPlace, request: LockRequest): Promise<LockAnswer> {
  const fields = [
    request.token,
    encodeField(request.owner),
    String(request.leaseSeconds),
    ...furtherFields(request),
  ] as const
  try {
    const lines = await onPlace(place, machine.request('lock', [place.target, place.profile, ...fields]))
    const number = /^number ([1-9]\d{0,14})$/.exec(lines.at(-1) ?? '')?.[1]
    if (number === undefined) throw badAnswer(machine.address)
    await lockByClient(machine, place, request.token)
    if (lines.includes('adopted')) await lockOriginal(machine, place, request.token)
    return { kind: 'acquired', number: Number(number) }
  } catch (error) {
    if (!(error instanceof RefusedRequest) || error.code !== 'already-locked') throw error
    return { kind: 'held', holder: parseHolder(error.lines) }
  }
}

async function lockByClient(machine: Machine, place: LockPlace, token: string): Promise<void> {
  const { client, facts } = machine
  if (client === undefined) return
  await lockThere({ client, facts, profile: place.profile }, token).catch(async (error: unknown) => {
    await machine.request('unlock', [place.target, place.profile, token]).catch(() => {})
    throw error
  })
}

async function lockOriginal(machine: Machine, place: LockPlace, token: string): Promise<void> {
  await holdOriginal(machine, place).catch(async (error: unknown) => {
    await machine.request('unlock', [place.target, place.profile, token, 'withdraw']).catch(() => {})
    throw error
  })
}

function furtherFields({ deadToken, wanted }: LockRequest): readonly string[] {
  if (wanted !== undefined) return [deadToken ?? '-', wanted.path, String(wanted.targets), wanted.store]
  return deadToken === undefined ? [] : [deadToken]
}

/** Renews a lock that the token still holds; otherwise throws the DavitError 'lock-lost'. */
export async function renewLock(
  machine: Machine,
  place: LockPlace,
  { token, leaseSeconds }: Pick<LockRequest, 'token' | 'leaseSeconds'>,
): Promise<void> {
  const { target, profile } = place
  await onPlace(place, machine.request('renew', [target, profile, token, String(leaseSeconds)]))
}

export interface LockPlace {
  readonly target: TargetName
  readonly profile: ProfileName
}

/** Whether the target goes on to keep in mind what the run under a lock wants, after the lock is released. */
export type Intention = 'keep' | 'withdraw'

/** Releases a lock; throws the DavitError 'not-locked' if it is not held, and 'lock-lost' if somebody else holds it. */
export async function releaseLock(
  machine: Machine,
  place: LockPlace,
  { token, intention }: { readonly token: string; readonly intention?: Intention },
): Promise<void> {
  await unlockByClient(machine, place, token)
  const fields = [place.target, place.profile, token, ...withdrawing(intention)] as const
  for (let losses = 0; ; losses += 1) {
    try {
      return await unlock(machine, place, fields)
    } catch (error) {
      // The request whose answer was lost has released it.
      if (losses > 0 && error instanceof RefusedRequest && error.code === 'not-locked') return
      if (!isBroken(error) || losses === MAX_LOSSES) throw error
    }
  }
}

async function unlock(
  machine: Machine,
  place: LockPlace,
  fields: readonly [string, string, string, ...string[]],
): Promise<void> {
  const lines = await onPlace(place, machine.request('unlock', fields))
  // If that fails, it is removed once the machine sees that nobody works there.
  if (lines.includes('adopted')) await dropOriginal(machine, place)
}

async function unlockByClient(machine: Machine, place: LockPlace, token: string): Promise<void> {
  const { client, facts } = machine
  if (client === undefined) return
  // Whoever has taken this lock since has that of the client as well.
  await renewLock(machine, place, { token, leaseSeconds: RELEASE_SECONDS })
  await unlockThere({ client, facts, profile: place.profile })
}

/** How long the release by a client executable may take until others may take the lock. */
const RELEASE_SECONDS = 60

function withdrawing(intention: Intention | undefined): readonly string[] {
  return intention === 'keep' ? [] : ['withdraw']
}

/** Names the target in errors of a request. */
function onPlace<Answer>({ target }: LockPlace, answer: Promise<Answer>): Promise<Answer> {
  return answer.catch((error: unknown) => {
    throw onTarget(target, error)
  })
}

export async function lockHolder(machine: Machine, place: LockPlace): Promise<LockHolder | undefined> {
  const lines = await machine.request('lock_state', [place.target, place.profile])
  return lines.length === 0 ? undefined : parseHolder(lines)
}

const MAX_OWNER_CHARACTERS = 10_000

/** Parses the line that tells who holds a lock. */
export function parseHolder([line = '']: readonly string[]): LockHolder {
  const [fact, token, owner, since, ...lease] = line.split(' ')
  if (fact !== 'holder') return { token: undefined, owner: '', since: undefined }
  return {
    token: matching(token, /^\w[\w-]{0,199}$/),
    owner: ownerIn(owner),
    since: timeIn(since),
    ...(lease.length === 0 ? {} : leaseIn(lease)),
  }
}

function ownerIn(field: string | undefined): string {
  return field === undefined || field.length > MAX_OWNER_CHARACTERS ? '' : decodeField(field)
}

function leaseIn([end, clock]: readonly string[]) {
  const [until, now] = [timeIn(end), timeIn(clock)]
  return { until, isOver: until !== undefined && now !== undefined && now > until }
}

/** Parses seconds since the epoch; a Date can represent every number of 12 digits. */
function timeIn(seconds: string | undefined): Date | undefined {
  const digits = matching(seconds, /^\d{1,12}$/)
  return digits === undefined ? undefined : new Date(Number(digits) * 1000)
}

function matching(text: string | undefined, shape: RegExp): string | undefined {
  return text !== undefined && shape.test(text) ? text : undefined
}
