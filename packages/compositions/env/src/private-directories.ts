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
        const owner = ownerOf(startsWith(name, common) ?? '')
        if (owner !== undefined && isProcessGone({ namespace, ...owner })) removeIfOwn(join(place, name))
      }
    },
  }
}

/** The process in the rest of a name. */
function ownerOf(rest: string): { readonly pid: number; readonly startTime: number } | undefined {
  const [, pid = '', startTime] = /^(\d+),(\d*)\./.exec(rest) ?? []
  return pid === '' ? undefined : { pid: Number(pid), startTime: Number(startTime) }
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

/** Anybody may call a directory so. As root, removing what others can still change would remove what they lead it to. */
function removeIfOwn(path: string): void {
  if (!isOwnDirectory(path)) return
  try {
    removeTree(path)
  } catch {
    // A program that outlived its run may still write to it: the next run tries again.
  }
}
