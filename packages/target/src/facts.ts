import type { System } from '@davit/documents'
import { DavitError, ExitStatus } from '@davit/diagnostics'

import { fromHexadecimal } from './answer-lines.ts'

/** What a machine says of itself when a helper starts there. */
export interface MachineFacts {
  readonly system: System
  /** The process that said hello; it may have been replaced since. */
  readonly helper: string
  readonly userId: number
  readonly bootId: string
  /** Tells containers apart that share the boot. */
  readonly place: string
  readonly stateDirectory: string
  readonly checksum: 'cksum' | 'sha256sum'
}

export function parseFacts(lines: readonly string[], address: string): MachineFacts {
  const all = (fact: string) =>
    lines.filter((line) => line.startsWith(`${fact} `)).map((line) => line.slice(fact.length + 1))
  const first = (fact: string) => all(fact)[0] ?? ''
  const checksum = (['cksum', 'sha256sum'] as const).find((utility) => all('checksum').includes(utility))
  const missing = [...all('missing'), ...(checksum === undefined ? ['cksum or sha256sum'] : [])]
  if (checksum === undefined || missing.length > 0) throw utilitiesMissing(address, missing)
  const [kernel = '', machine = ''] = first('kernel').split(' ')
  return {
    system: `${machine}-${kernel.toLowerCase()}` as System,
    helper: first('helper'),
    userId: Number(first('user')),
    bootId: first('boot'),
    place: first('place'),
    stateDirectory: fromHexadecimal(first('state')),
    checksum,
  }
}

function utilitiesMissing(address: string, missing: readonly string[]): DavitError {
  return new DavitError('utility-missing', `'${address}' lacks ${missing.join(', ')}`, {
    exitStatus: ExitStatus.unreachable,
    hint: 'a target needs a POSIX shell and the usual small utilities (coreutils, util-linux, findutils and tar, or busybox)',
  })
}

/** Whether two helpers run on the same machine, for the same user's state. */
export function isSamePlace(left: MachineFacts, right: MachineFacts): boolean {
  const facts = ['bootId', 'place', 'stateDirectory', 'userId'] as const
  return facts.every((fact) => left[fact] === right[fact])
}
