import { DavitError, ExitStatus } from '@davit/diagnostics'
import { fullDisk } from './full-disk.ts'
import { plainText } from './plain-text.ts'

/** The other side speaks, but not as a Nix store does. */
export function protocolError(detail: string): DavitError {
  return new DavitError('bad-nix-answer', `a Nix store answered what cannot be: ${detail}`, {
    hint: 'check that nix-store there is the real Nix, version 2.4 or later',
  })
}

export function notANixStore(): DavitError {
  return new DavitError('not-a-nix-store', "what answers is not 'nix-store --serve'", {
    exitStatus: ExitStatus.unreachable,
    hint: 'nothing may be printed there when a command is run; look at the start-up files of its shell',
  })
}

export function tooOld(version: string): DavitError {
  return new DavitError(
    'nix-too-old',
    `a Nix store speaks version ${version} of the serve protocol, which is too old`,
    {
      exitStatus: ExitStatus.unreachable,
      hint: 'Nix 2.4 or later is needed',
    },
  )
}

/** The store has gone before it answered; what it said last is the reason. */
export function storeEnded(lastWords: string, cause: unknown): DavitError {
  const text = plainText(lastWords).trim().split('\n').slice(-MAX_LINES).join('\n')
  const message = text === '' ? 'a Nix store ended before it answered' : `a Nix store ended before it answered: ${text}`
  return new DavitError('nix-store-ended', message, { ...fullDisk(text), cause })
}

const MAX_LINES = 10
