import { lstatSync, readlinkSync, type Stats, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { ownAccount } from './own-account.ts'

/** A step of a path by which somebody else could lead it elsewhere: it belongs to another account, or others may write to it. */
export interface ForeignStep {
  readonly path: string
  readonly why: 'owner' | 'mode'
  readonly uid: number
}

/**
 * Returns the first step of a path that neither this account nor root has to itself. The steps are all directories from `/` on, and
 * links with what they lead to; what is missing is nobody's. A directory with the sticky bit is nobody else's either: what is in it
 * belongs to whoever made it. If there is no such step, nobody but this account and root can change where the path leads.
 */
export function foreignStep(path: string): ForeignStep | undefined {
  const self = ownIds()
  for (const { at, status } of stepsOf(path)) {
    if (!self.owners.has(status.uid)) return { path: at, why: 'owner', uid: status.uid }
    if (status.isDirectory() && isWritable(status, self.groups)) return { path: at, why: 'mode', uid: status.uid }
  }
  return undefined
}

/** Returns the first link on a path that belongs to another account, and so may lead anywhere. */
export function foreignLink(path: string): string | undefined {
  const { owners } = ownIds()
  for (const { at, status } of stepsOf(path)) if (status.isSymbolicLink() && !owners.has(status.uid)) return at
  return undefined
}

interface Step {
  readonly at: string
  readonly status: Stats
}

/** As many as the system follows. */
const MAX_LINKS = 40

/** The steps that the system takes on a path, up to one that is missing or cannot be looked at. */
function* stepsOf(path: string): Generator<Step> {
  const left = partsOf(resolve(path)).toReversed()
  let links = 0
  let at = '/'
  yield { at, status: lstatSync(at) }
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (name === '..') {
      at = dirname(at)
      continue
    }
    const next = join(at, name)
    const status = look(next)
    if (status === undefined) return
    yield { at: next, status }
    if (!status.isSymbolicLink()) {
      at = next
      continue
    }
    links += 1
    if (links > MAX_LINKS) return
    const target = readlinkSync(next)
    left.push(...partsOf(target).toReversed())
    if (target.startsWith('/')) at = '/'
  }
}

function partsOf(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.')
}

/** Nothing is known of what this account cannot look at; then it cannot write there, either. */
function look(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}

interface OwnIds {
  readonly owners: ReadonlySet<number>
  readonly groups: ReadonlySet<number>
}

/** Whoever owns `/` stands for root, which has no number of its own in some containers. */
function ownIds(): OwnIds {
  const { uid, gid } = ownAccount()
  return { owners: new Set([0, uid, statSync('/').uid]), groups: new Set([0, gid]) }
}

const STICKY = 0o1000

function isWritable({ mode, gid }: Stats, groups: ReadonlySet<number>): boolean {
  if ((mode & STICKY) !== 0) return false
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && !groups.has(gid))
}

/** Returns the first link on the way from a directory, itself included, to a path in it, itself included. */
export function linkWithin(root: string, path: string): string | undefined {
  const parts = partsOf(relative(root, path))
  for (let count = 0; count <= parts.length; count += 1) {
    const at = join(root, ...parts.slice(0, count))
    const status = look(at)
    if (status?.isSymbolicLink() === true) return at
    if (status === undefined) return undefined
  }
  return undefined
}

/** Whether a path is a directory, and no link to one, which belongs to this account, and to which nobody else may write. */
export function isOwnDirectory(path: string): boolean {
  const status = look(path)
  const { uid, gid } = ownAccount()
  return status?.isDirectory() === true && status.uid === uid && !isWritable(status, new Set([0, gid]))
}
