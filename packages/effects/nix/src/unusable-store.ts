import { type DavitErrorOptions, ExitStatus } from '@davit/diagnostics'

/** Exit status and hint for an error in which Nix reports that it cannot write to its store, whatever it was asked to do. */
export type UnusableStore = Required<Pick<DavitErrorOptions, 'exitStatus' | 'hint'>>

/** Recognises a full disk, and an account that may not use the store. */
export function unusableStore(text: string): UnusableStore | undefined {
  return CASES.find(({ pattern }) => pattern.test(text))?.outcome
}

const { cannotCreate, permission } = ExitStatus

const CASES: readonly { readonly pattern: RegExp; readonly outcome: UnusableStore }[] = [
  {
    pattern: /no space left on device|disk is full/i,
    outcome: { exitStatus: cannotCreate, hint: 'free some space for the Nix store, and run the same command again' },
  },
  // SQLite reports a full disk like this for some of its files.
  {
    pattern: /disk I\/O error/,
    outcome: {
      exitStatus: cannotCreate,
      hint: 'free some space for the Nix store if it is full; otherwise check its disk',
    },
  },
  // Nix is refused files of its own, and not those that a model reads.
  {
    pattern: /\/nix\/(?:store|var)\/[^\n]*(?:Permission denied|Operation not permitted)/,
    outcome: { exitStatus: permission, hint: 'give this account access to a Nix daemon, or a Nix store of its own' },
  },
]
