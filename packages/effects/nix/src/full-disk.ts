import { type DavitErrorOptions, ExitStatus } from '@davit/diagnostics'

/** How an error ends in which Nix says that there is no space: what was asked of it is not to blame. */
export function fullDisk(text: string): Pick<DavitErrorOptions, 'exitStatus' | 'hint'> | undefined {
  const hint = HINTS.find(([pattern]) => pattern.test(text))?.[1]
  return hint === undefined ? undefined : { exitStatus: ExitStatus.cannotCreate, hint }
}

const HINTS: readonly (readonly [RegExp, string])[] = [
  [/no space left on device|disk is full/i, 'make space for the Nix store, and run the same command again'],
  // So says SQLite of some of its files.
  [/disk I\/O error/, 'make space for the Nix store, if it lacks that; otherwise its disk does not work'],
]
