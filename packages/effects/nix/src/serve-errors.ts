import { DavitError, ExitStatus } from '@davit/diagnostics'
import { unusableStore } from './unusable-store.ts'
import { plainText } from './plain-text.ts'

/** Error for an answer that no Nix store would give. */
export function protocolError(detail: string): DavitError {
  return new DavitError('bad-nix-answer', `a Nix store gave an invalid answer: ${detail}`, {
    hint: 'check that nix-store there is the real Nix, version 2.4 or later',
  })
}

export function notANixStore(): DavitError {
  return new DavitError('not-a-nix-store', "the program that answers is not 'nix-store --serve'", {
    exitStatus: ExitStatus.unreachable,
    hint: 'check the start-up files of the shell there: they must print nothing when a command is run',
  })
}

export function tooOld(version: string): DavitError {
  return new DavitError(
    'nix-too-old',
    `a Nix store uses version ${version} of the serve protocol, which is not supported`,
    {
      exitStatus: ExitStatus.unreachable,
      hint: 'install Nix 2.4 or later there',
    },
  )
}

/** Error for a store that ended before it answered; its last words are the reason. */
export function storeEnded(lastWords: string, cause: unknown): DavitError {
  const text = plainText(lastWords).trim().split('\n').slice(-MAX_LINES).join('\n    ')
  const message = text === '' ? 'a Nix store ended before it answered' : `a Nix store ended before it answered: ${text}`
  return new DavitError('nix-store-ended', message, { ...unusableStore(text), cause })
}

const MAX_LINES = 10
