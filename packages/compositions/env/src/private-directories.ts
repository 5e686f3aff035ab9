import { chmodSync, mkdtempSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { DavitError, ExitStatus } from '@davit/diagnostics'
import { isOwnDirectory, reasonOf, refuseForeign, removeTree } from '@davit/files'
import { atExit, isProcessGone, processReference } from '@davit/process'

/** Directories for the temporary files of steps. Their names tell which run of which deployment they belong to. */
export interface PrivateDirectories {
  /** Works with a new directory, which other users may pass through, and removes it, even if the process ends before. */
  use<Result>(work: (directory: string) => Promise<Result>): Promise<Result>
  /** Removes the directories of runs of the same deployment that were killed. To be called when none of these holds the lock. */
  sweep(): void
}

/** Returns the directories of a deployment below a place, such as `/tmp`. */
export function privateDirectories(place: string, profile: string): PrivateDirectories {
  const { namespace, pid, startTime } = processReference()
  const common = `davit-env.${namespace},${profile},`
  return {
    async use(work) {
      const directory = makeDirectory(place, `${common}${pid},${startTime || ''}.`)
      const remove = () => removeTree(directory)
      const forget = atExit(remove)
      try {
        return await work(directory)
      } finally {
        remove()
        forget()
      }
    },
    sweep() {
      for (const name of namesIn(place)) {
        const [, owner = '', start = ''] = /^(\d+),(\d*)\./.exec(startsWith(name, common) ?? '') ?? []
        const isLeft = owner !== '' && isProcessGone({ namespace, pid: Number(owner), startTime: Number(start) })
        // As root, removing what others can still change would remove what they lead it to.
        if (isLeft && isOwnDirectory(join(place, name))) removeIfPossible(join(place, name))
      }
    },
  }
}

/** Rest of a text after a prefix; undefined if it does not start with that. */
function startsWith(text: string, prefix: string): string | undefined {
  return text.startsWith(prefix) ? text.slice(prefix.length) : undefined
}

function makeDirectory(place: string, prefix: string): string {
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw cannotCreate(`there is no directory '${place}'`, 'create it, or set TMPDIR to another directory')
  }
  refuseForeign(place)
  try {
    const directory = mkdtempSync(join(place, prefix))
    // Builds of Nix may pass through it as other users.
    chmodSync(directory, 0o711)
    return directory
  } catch (error) {
    throw cannotCreate(
      `cannot create files in '${place}': ${reasonOf(error)}`,
      'free some space there, or set TMPDIR to another directory',
    )
  }
}

function cannotCreate(message: string, hint: string): DavitError {
  return new DavitError('cannot-create', message, { exitStatus: ExitStatus.cannotCreate, hint })
}

function namesIn(place: string): readonly string[] {
  try {
    return readdirSync(place)
  } catch {
    return []
  }
}

/** Removes what may still be written to by a program that outlived its run. */
function removeIfPossible(path: string): void {
  try {
    removeTree(path)
  } catch {
    // The next run tries again.
  }
}
