import { type DavitErrorOptions, ExitStatus } from '@davit/diagnostics'

/** Exit status and hint for an error in which Nix reports a full disk, whatever it was asked to do. */
export function fullDisk(text: string): Pick<DavitErrorOptions, 'exitStatus' | 'hint'> | undefined {
  const hint = HINTS.find(([pattern]) => pattern.test(text))?.[1]
  return hint === undefined ? undefined : { exitStatus: ExitStatus.cannotCreate, hint }
}

const HINTS: readonly (readonly [RegExp, string])[] = [
  [/no space left on device|disk is full/i, 'free some space for the Nix store, and run the same command again'],
  // SQLite reports a full disk like this for some of its files.
  [/disk I\/O error/, 'free some space for the Nix store if it is full; otherwise check its disk'],
]
