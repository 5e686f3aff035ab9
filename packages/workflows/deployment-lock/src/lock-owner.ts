import {
  isProcessAlive,
  isProcessGone,
  type ProcessIdentity,
  type ProcessReference,
  wasRestartedSince,
} from '@davit/process'

/** Holder of a lock, as recorded on the targets, with all that another process needs to tell whether it is still alive. */
export interface LockOwner {
  readonly user: string
  readonly host: string
  readonly machineId: string
  readonly bootId: string
  /** Process whose end frees the lock: the one that works under it, or the shell that starts the steps of a run. */
  readonly holder: ProcessReference
}

export function ownerOf(identity: ProcessIdentity, holder: 'self' | 'parent'): LockOwner {
  const { user, host, machineId, bootId, pid, startTime, namespace, parent } = identity
  return { user, host, machineId, bootId, holder: holder === 'self' ? { pid, startTime, namespace } : parent }
}

export function encodeOwner(owner: LockOwner): string {
  return JSON.stringify(owner)
}

/** Parses an owner; undefined if the text is not one, so that nothing is known of the holder. */
export function parseOwner(text: string): LockOwner | undefined {
  try {
    const owner: unknown = JSON.parse(text)
    return isOwner(owner) ? owner : undefined
  } catch {
    return undefined
  }
}

export function isOwner(value: unknown): value is LockOwner {
  if (typeof value !== 'object' || value === null) return false
  const { user, host, machineId, bootId, holder } = value as Partial<LockOwner>
  const texts = [user, host, machineId, bootId, holder?.namespace]
  const numbers = [holder?.pid, holder?.startTime]
  return texts.every((field) => typeof field === 'string') && numbers.every(Number.isSafeInteger)
}

/** Whether the owner was a process of this machine that has certainly ended. Copies of a machine share its id, but not its name. */
export function isDead(owner: LockOwner, here: ProcessIdentity): boolean {
  if (owner.bootId === here.bootId && here.bootId !== '') return isProcessGone(owner.holder)
  return wasRestartedSince(owner, here)
}

/** Whether the owner lives, as far as this machine can tell. */
export function lifeOf(owner: LockOwner | undefined, here: ProcessIdentity): 'alive' | 'dead' | 'unknown' {
  if (owner === undefined) return 'unknown'
  if (isDead(owner, here)) return 'dead'
  const isHere = owner.bootId !== '' && owner.bootId === here.bootId
  return isHere && isProcessAlive(owner.holder) ? 'alive' : 'unknown'
}

export function describeOwner(text: string): string {
  const owner = parseOwner(text)
  if (owner === undefined) return 'somebody'
  return `${shown(owner.user)}@${shown(owner.host)} (process ${owner.holder.pid})`
}

/** Makes a name that a target reported fit on a line, and limits its length. */
function shown(name: string): string {
  return name.replaceAll(/[\s\p{C}]/gu, '?').slice(0, 100)
}
