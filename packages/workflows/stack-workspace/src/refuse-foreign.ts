import { lstatSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import { accountId } from '@davit/process'
import type { Place } from './install-tree.ts'

/**
 * Refuses a place below a directory of another user when root fetches: that user could put a link in the way, and root would write, or
 * remove, what the link leads to.
 */
export function refuseForeign({ root, path }: Place): void {
  if (accountId() !== ROOT) return
  const foreign = onTheWay(root, path).find((directory) => ownersOf(directory).some((owner) => owner !== ROOT))
  if (foreign === undefined) return
  const [owner] = ownersOf(foreign).filter((one) => one !== ROOT)
  throw new DavitError(
    'cannot-create',
    `cannot create '${join(root, path)}': '${foreign}' belongs to another user (${owner}), who could have root write elsewhere`,
    {
      exitStatus: ExitStatus.cannotCreate,
      hint: `run the same command as that user, or give the directory to root: chown -R root '${foreign}'`,
    },
  )
}

const ROOT = 0

/** The directory of fetched stacks, and all from there to the place. */
function onTheWay(root: string, path: string): readonly string[] {
  const steps = path.split('/')
  return [root, ...steps.map((_, index) => join(root, ...steps.slice(0, index + 1)))]
}

/** Of a link, and of what it leads to. What cannot be looked at cannot be written either, which is told then. */
function ownersOf(path: string): readonly number[] {
  return [lstatSync, statSync].flatMap((look) => {
    try {
      return look(path).uid
    } catch {
      return []
    }
  })
}
