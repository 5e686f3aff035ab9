import { createHash } from 'node:crypto'

import type { ModelFile } from '@davit/documents'
import type { GivenSource } from '@davit/models'

/** What a generation keeps of models. Models that are longer together are known by their checksums only. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024

/** Describes the files that were read. */
export function modelFilesIn(sources: readonly GivenSource[], mostBytes = MAX_KEPT_BYTES): readonly ModelFile[] {
  const bytes = sources.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  return sources.map(({ text, ...source }) => ({
    ...source,
    bytes: Buffer.byteLength(text),
    sha256: createHash('sha256').update(text).digest('hex'),
    ...(bytes > mostBytes ? {} : { text }),
  }))
}
