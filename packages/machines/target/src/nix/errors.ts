import { DavitError, ExitStatus } from '@davit/diagnostics'
import { plainText } from '@davit/nix'

import { RefusedRequest } from '../helper/helper.ts'

const UNREACHABLE = { exitStatus: ExitStatus.unreachable }

export function nixMissing(address: string): DavitError {
  return new DavitError('nix-missing', `there is no Nix on '${address}': 'nix-store' was not found`, {
    ...UNREACHABLE,
    hint: 'install Nix there (nix-bin in Debian), or deploy packages of another kind with --store native',
  })
}

export interface EndedScript {
  readonly status: number
  /** What it printed on standard error, at the end. */
  readonly lastWords: string
}

/** What a script said before it ended, without having done what it was for. */
export function nixFailed(address: string, { status, lastWords }: EndedScript): DavitError {
  const [, code, reason] = /davit:(\S+)\n([^]*)/.exec(lastWords) ?? []
  if (code === 'nix-missing') return nixMissing(address)
  const said = lastLines(reason ?? lastWords)
  return new DavitError(
    'nix-failed',
    `cannot use Nix on '${address}': ${said || `it was stopped, with status ${status}`}`,
    {
      ...UNREACHABLE,
      ...hintFor(said),
    },
  )
}

/** An error of working with the Nix store of a machine, which it names. */
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
  [/lacks a (?:valid )?signature/, "add the user that davit logs in as to 'trusted-users' in nix.conf there"],
  [
    /cannot connect to (?:socket|daemon)|Permission denied/i,
    'the user that davit logs in as needs a Nix daemon there, or a store of its own',
  ],
]

const MAX_LINES = 5

function lastLines(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('@nix '))
  return lines.slice(-MAX_LINES).map(plainText).join('; ')
}
