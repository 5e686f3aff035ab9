import { type DavitErrorOptions, ExitStatus } from '@davit/diagnostics'

/** Exit status and hint for an error in which Nix reports that it cannot write to its store, whatever it was asked to do. */
export type UnusableStore = Required<Pick<DavitErrorOptions, 'exitStatus' | 'hint'>>

/** Recognises a full disk, and an account that may not use the store. */
export function unusableStore(text: string): UnusableStore | undefined {
  return CASES.find(({ isMeant }) => isMeant(text))?.outcome
}

const { cannotCreate, permission } = ExitStatus

const CASES: readonly { isMeant(text: string): boolean; readonly outcome: UnusableStore }[] = [
  {
    isMeant: (text) => /no space left on device|disk is full/i.test(text),
    outcome: { exitStatus: cannotCreate, hint: 'free some space for the Nix store, and run the same command again' },
  },
  // SQLite reports a full disk like this for some of its files.
  {
    isMeant: (text) => /disk I\/O error/.test(text),
    outcome: {
      exitStatus: cannotCreate,
      hint: 'free some space for the Nix store if it is full; otherwise check its disk',
    },
  },
  // Nix is refused files of its own, and not those that a model reads.
  {
    isMeant: (text) => text.split('\n').some(refusesNix),
    outcome: { exitStatus: permission, hint: 'give this account access to a Nix daemon, or a Nix store of its own' },
  },
]

function refusesNix(line: string): boolean {
  const place = line.search(/\/nix\/(?:store|var)\//)
  return place >= 0 && /Permission denied|Operation not permitted/.test(line.slice(place))
}
