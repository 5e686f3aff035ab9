import { isProcessAlive, type ProcessIdentity, type ProcessReference } from '@davit/process'

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
  const { user, host, machineId, bootId, pid, startTime, parent } = identity
  return { user, host, machineId, bootId, holder: holder === 'self' ? { pid, startTime } : parent }
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

function isOwner(value: unknown): value is LockOwner {
  if (typeof value !== 'object' || value === null) return false
  const { user, host, machineId, bootId, holder } = value as Partial<LockOwner>
  const texts = [user, host, machineId, bootId].every((field) => typeof field === 'string')
  return texts && [holder?.pid, holder?.startTime].every((field) => typeof field === 'number')
}

/** Whether the owner was a process of this machine that is no more. */
export function isDead(owner: LockOwner, here: ProcessIdentity): boolean {
  if (owner.machineId !== here.machineId) return false
  if (owner.bootId !== here.bootId) return true
  return !isProcessAlive(owner.holder)
}

export function describeOwner(text: string): string {
  const owner = parseOwner(text)
  if (owner === undefined) return 'somebody'
  return `${owner.user}@${owner.host} (process ${owner.holder.pid})`
}
