import { isProcessGone, type ProcessIdentity, type ProcessReference, wasRestartedSince } from '@davit/process'

/** Who holds a lock, as written on the targets: all that another process needs to tell whether the holder still lives. */
export interface LockOwner {
  readonly user: string
  readonly host: string
  readonly machineId: string
  readonly bootId: string
  /** The process with whose end the lock ends: the one that works under it, or the shell from which the steps of a run are started. */
  readonly holder: ProcessReference
}

export function ownerOf(identity: ProcessIdentity, holder: 'self' | 'parent'): LockOwner {
  const { user, host, machineId, bootId, pid, startTime, namespace, parent } = identity
  return { user, host, machineId, bootId, holder: holder === 'self' ? { pid, startTime, namespace } : parent }
}

export function encodeOwner(owner: LockOwner): string {
  return JSON.stringify(owner)
}

/** What cannot be read is somebody's whom we know nothing of. */
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

/** Whether the owner was a process of this machine that certainly is no more; copies of a machine share its id, not its name. */
export function isDead(owner: LockOwner, here: ProcessIdentity): boolean {
  if (owner.bootId === here.bootId && here.bootId !== '') return isProcessGone(owner.holder)
  return wasRestartedSince(owner, here)
}

export function describeOwner(text: string): string {
  const owner = parseOwner(text)
  if (owner === undefined) return 'somebody'
  return `${shown(owner.user)}@${shown(owner.host)} (process ${owner.holder.pid})`
}

/** A target has said so: on one line, and not at any length. */
function shown(name: string): string {
  return name.replaceAll(/[\s\p{C}]/gu, '?').slice(0, 100)
}
