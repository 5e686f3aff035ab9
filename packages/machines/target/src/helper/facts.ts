import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { System } from '@davit/documents'

import { fromHexadecimal } from './answer-lines.ts'
import { FLEETING, type Fleeting, parseFleeting } from './fleeting.ts'

/** Facts that a machine reports when a helper starts there. */
export interface MachineFacts {
  readonly system: System
  /** Process of the helper that reported them; it may have been replaced since. */
  readonly helper: string
  readonly userId: number
  readonly bootId: string
  /** Distinguishes Linux containers that share a boot. */
  readonly place: string
  readonly stateDirectory: string
  readonly checksum: 'cksum' | 'sha256sum'
  readonly compressors: readonly Compressor[]
  /** How what is started there ends with davit's session, if it does. */
  readonly fleeting?: Fleeting
}

/** Utilities that compress snapshots, best first. */
export const COMPRESSORS = ['zstd', 'gzip'] as const
export type Compressor = (typeof COMPRESSORS)[number]

export function parseFacts(lines: readonly string[], address: string): MachineFacts {
  const all = (fact: string) =>
    lines.filter((line) => line.startsWith(`${fact} `)).map((line) => line.slice(fact.length + 1))
  const first = (fact: string) => all(fact)[0] ?? ''
  const checksum = (['cksum', 'sha256sum'] as const).find((utility) => all('checksum').includes(utility))
  const missing = [...all('missing'), ...(checksum === undefined ? ['cksum or sha256sum'] : [])]
  if (checksum === undefined || missing.length > 0) throw utilitiesMissing(address, missing)
  /** Returns a fact, which has this shape if davit's helper reported it. */
  const told = (fact: string, shape: RegExp) => {
    const word = first(fact)
    // A usual path is reported as it is.
    const text = fact !== 'state' || word.startsWith('/') ? word : fromHexadecimal(word)
    if (!shape.test(text)) throw nonsense(address, fact, text)
    return text
  }
  const [kernel = '', machine = ''] = told('kernel', /^[\w.+-]{1,60} [\w.+-]{1,60}$/).split(' ')
  return {
    system: `${machine}-${kernel.toLowerCase()}` as System,
    helper: told('helper', /^\d+:\d+:[\w-]+$/),
    userId: Number(told('user', /^\d{1,10}$/)),
    bootId: told('boot', /^[\w-]{1,100}$/),
    place: told('place', /^[\w:[\]/]{1,200}$/),
    stateDirectory: told('state', STATE_DIRECTORY),
    checksum,
    compressors: COMPRESSORS.filter((utility) => all('compressor').includes(utility)),
    ...(all('fleeting').length === 0 ? {} : { fleeting: parseFleeting(told('fleeting', FLEETING)) }),
  }
}

/** Absolute, without `..`, and without control characters, since it is shown and is a prefix of file names. */
// oxlint-disable-next-line no-control-regex
const STATE_DIRECTORY = /^(?:\/+(?!\.\.?(?:\/|$))[^/\u0000-\u001f\u007f]+)+\/*$/

function utilitiesMissing(address: string, missing: readonly string[]): DavitError {
  return new DavitError('utility-missing', `'${address}' lacks ${missing.join(', ')}`, {
    exitStatus: ExitStatus.unreachable,
    hint: 'install them there: a target needs coreutils, util-linux, findutils and tar, or busybox',
  })
}

function nonsense(address: string, fact: string, text: string): DavitError {
  const hint =
    fact === 'state'
      ? "set DAVIT_STATE_DIR there to an absolute path without '..'"
      : "another program answers there in place of davit's shell"
  return new DavitError('bad-answer', `'${address}' reported an impossible ${fact}: '${text.slice(0, 100)}'`, {
    exitStatus: ExitStatus.unreachable,
    hint,
  })
}

/** Whether two helpers run on the same machine, with the same user's state. */
export function isSamePlace(left: MachineFacts, right: MachineFacts): boolean {
  const facts = ['bootId', 'place', 'stateDirectory', 'userId'] as const
  return facts.every((fact) => left[fact] === right[fact])
}
