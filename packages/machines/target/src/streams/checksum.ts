import { createHash } from 'node:crypto'

import { CksumSum } from './cksum.ts'

export interface Checksum {
  update(chunk: Uint8Array): void
  /** Returns the checksum as the utility prints it. */
  digest(): string
}

export function checksumOf(utility: 'cksum' | 'sha256sum'): Checksum {
  if (utility === 'cksum') return new CksumSum()
  const hash = createHash('sha256')
  return {
    update: (chunk) => void hash.update(chunk),
    digest: () => hash.digest('hex'),
  }
}
