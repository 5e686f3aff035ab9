import type { System } from '@davit/documents'
import { DavitError, ExitStatus } from '@davit/diagnostics'

import { fromHexadecimal } from './answer-lines.ts'

/** What a machine says of itself when a helper starts there. */
export interface MachineFacts {
  readonly system: System
  readonly userId: number
  readonly bootId: string
  readonly stateDirectory: string
  readonly checksum: 'cksum' | 'sha256sum'
}

export function parseFacts(lines: readonly string[], address: string): MachineFacts {
  const words = lines.map((line) => line.split(' '))
  const all = (fact: string) => words.filter(([name]) => name === fact).map(([, ...rest]) => rest)
  const missing = all('missing').flat()
  const checksums = all('checksum').flat()
  if (checksums.length === 0) missing.push('cksum or sha256sum')
  if (missing.length > 0) {
    throw new DavitError('utility-missing', `'${address}' lacks ${missing.join(', ')}`, {
      exitStatus: ExitStatus.unreachable,
      hint: 'a target needs a POSIX shell and the usual small utilities (coreutils, util-linux, findutils and tar, or busybox)',
    })
  }
  const [kernel = '', machine = ''] = all('kernel')[0] ?? []
  return {
    system: `${machine}-${kernel.toLowerCase()}` as System,
    userId: Number(all('user')[0]?.[0] ?? Number.NaN),
    bootId: all('boot')[0]?.[0] ?? 'unknown',
    stateDirectory: fromHexadecimal(all('state')[0]?.[0]),
    checksum: checksums.includes('cksum') ? 'cksum' : 'sha256sum',
  }
}

/** Whether two helpers run on the same machine, for the same user's state. */
export function isSamePlace(left: MachineFacts, right: MachineFacts): boolean {
  return left.bootId === right.bootId && left.stateDirectory === right.stateDirectory && left.userId === right.userId
}
