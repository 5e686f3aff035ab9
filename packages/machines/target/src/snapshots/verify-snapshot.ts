import { createHash } from 'node:crypto'

import type { ProfileName, TargetName } from '@davit/documents'

import type { Machine } from '../machine.ts'
import { resultOf } from '../records/activity.ts'
import type { Snapshot, SnapshotStore, VerifiedHow } from './snapshot-store.ts'
import { type StateRequest, statusOf } from './state-activity.ts'

export interface SnapshotToVerify extends Omit<StateRequest, 'activity' | 'snapshot'> {
  readonly snapshot: string
}

export type Verification =
  /** It was loaded, or its module cannot do that, and its content was compared. */
  | { readonly kind: 'verified'; readonly how: 'content' | 'loaded' }
  /** It is damaged, or its module could not prove it. */
  | (Unverified & { readonly kind: 'refuted' })
  /** Nothing was found out. */
  | (Unverified & { readonly kind: 'unknown' })

interface Unverified {
  readonly message: string
  readonly log?: string
}

/** Loads a snapshot aside on a machine, and compares it; nothing of the service is changed, which need not be active. */
export async function verifySnapshot(machine: Machine<'state'>, request: SnapshotToVerify): Promise<Verification> {
  let ended: number | undefined
  const verifying: StateRequest = { ...request, activity: 'verify' }
  const result = await resultOf(machine, verifying, async () => {
    const status = await statusOf(machine, verifying)
    if (typeof status === 'number') ended = status
    return status === CONTENT_ONLY ? 0 : status
  })
  switch (result.kind) {
    case 'succeeded':
      return { kind: 'verified', how: ended === CONTENT_ONLY ? 'content' : 'loaded' }
    case 'failed': {
      const { message, log } = result
      return { kind: ended !== undefined && isRefuting(ended) ? 'refuted' : 'unknown', message, log }
    }
    case 'not-begun':
      return { kind: 'unknown', message: `it could not begin: ${result.message}` }
    case 'no-state':
      return { kind: 'unknown', message: 'there is no such snapshot' }
  }
}

/** Exit statuses of the runner (see `snapshot-runner.sh`). */
const DAMAGED = 245
const CONTENT_ONLY = 246

/** What a shell reports of a program that it could not start; above are those that a signal has ended. */
const NOT_STARTED = 126

/** Whether the module itself has failed, or the content differs; after anything else, the snapshot may be intact. */
function isRefuting(status: number): boolean {
  return status < NOT_STARTED || status === DAMAGED
}

/** Notes in the store of a snapshot that it was verified now. */
export async function noteVerified(
  { machine, place }: SnapshotStore,
  { container, component, name }: Snapshot,
  { how, target }: { readonly how: VerifiedHow; readonly target: TargetName },
): Promise<void> {
  await machine.request('note_verified', [place, container, component, name, how, target])
}

/** A store on a machine that only `verifySnapshot` knows, with its name there. */
export interface StoreAside extends SnapshotStore {
  readonly name: string
}

interface Origin {
  readonly profile: ProfileName
  /** Target that the snapshot was taken on. */
  readonly from: TargetName
  readonly container: string
  readonly component: string
}

/** The store on a target for the snapshots of a component that are only verified there. */
export function storeAside(machine: Machine<'state'>, target: TargetName, origin: Origin): StoreAside {
  const { profile, from, container, component } = origin
  const name = createHash('sha256').update([profile, from, container, component].join(' ')).digest('hex')
  return { machine, place: `targets/${target}/verifying/${name}`, name }
}

/** Removes what is left of a store aside; if this fails, the next verification of the component does. */
export async function discardAside({ machine, name }: StoreAside, target: TargetName): Promise<void> {
  await machine.request('discard_aside', [target, name]).catch(() => {})
}
