import { DavitError, ExitStatus } from '@davit/diagnostics'
import { plainText } from '@davit/nix'

import { RefusedRequest } from '../helper/helper.ts'

const UNREACHABLE = { exitStatus: ExitStatus.unreachable }

export function nixMissing(address: string): DavitError {
  return new DavitError('nix-missing', `Nix is not installed on '${address}': 'nix-store' was not found`, {
    ...UNREACHABLE,
    hint: 'install Nix there (nix-bin in Debian), or, if no package is in the Nix language, deploy with --store native',
  })
}

export interface EndedScript {
  readonly status: number
  /** The end of its standard error. */
  readonly lastWords: string
}

/** The error for a script that ended early, with what it printed last. */
export function nixFailed(address: string, { status, lastWords }: EndedScript): DavitError {
  const [, code, reason] = /davit:([\w-]{1,60})\n([^]*)/.exec(lastWords) ?? []
  if (code === 'nix-missing') return nixMissing(address)
  const said = lastLines(reason ?? lastWords)
  return new DavitError(
    'nix-failed',
    `cannot use Nix on '${address}': ${said || `its script ended with status ${status}`}`,
    {
      ...UNREACHABLE,
      ...hintFor(said),
    },
  )
}

/** Names the machine in an error about its Nix store. */
export function onMachine(address: string, error: unknown): unknown {
  if (!(error instanceof DavitError) || error.message.includes(`'${address}'`)) return error
  if (error instanceof RefusedRequest && error.code === 'nix-missing') return nixMissing(address)
  const hint = error.hint === undefined ? hintFor(error.message) : { hint: error.hint }
  return new DavitError(error.code, `on '${address}', ${plainText(error.message)}`, {
    exitStatus: error.exitStatus,
    ...hint,
    diagnostics: error.diagnostics,
    cause: error.cause,
  })
}

function hintFor(said: string): { readonly hint?: string } {
  const hint = HINTS.find(([pattern]) => pattern.test(said))?.[1]
  return hint === undefined ? {} : { hint }
}

const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /hash mismatch|has changed from/i,
    "a package was altered on the machine that sends it: 'nix-store --verify --check-contents' names it there, and 'nix-store --repair-path PATH' mends it",
  ],
  [/lacks a (?:valid )?signature/, "add the user that davit logs in as to 'trusted-users' in nix.conf there"],
  [
    /cannot connect to (?:socket|daemon)|Permission denied/i,
    'give the user that davit logs in as access to a Nix daemon there, or a store of its own',
  ],
]

const MAX_LINES = 5

function lastLines(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('@nix '))
  return lines.slice(-MAX_LINES).map(plainText).join('; ')
}
