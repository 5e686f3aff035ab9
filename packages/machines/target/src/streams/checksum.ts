import { createHash } from 'node:crypto'

import { CksumSum } from './cksum.ts'

export interface Checksum {
  update(chunk: Uint8Array): void
  /** Returns the checksum as the utility prints it. */
  digest(): string
}

/** `none` stands for archives of which each file is verified by other means. */
export type ChecksumUtility = 'cksum' | 'sha256sum' | 'none'

export function checksumOf(utility: ChecksumUtility): Checksum {
  if (utility === 'none') return { update: () => {}, digest: () => 'none' }
  if (utility === 'cksum') return new CksumSum()
  const hash = createHash('sha256')
  return {
    update: (chunk) => void hash.update(chunk),
    digest: () => hash.digest('hex'),
  }
}
