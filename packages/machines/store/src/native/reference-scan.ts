import type { StorePath } from '@davit/documents'
import { BASE32_ALPHABET } from './base32.ts'
import { hashPartOf } from './store-path.ts'

export interface ReferenceScan {
  /** Takes the next chunk; a reference may extend over several chunks. */
  visit(chunk: Uint8Array): void
  /** Returns the references found so far, sorted. */
  found(): readonly StorePath[]
}

const LENGTH = 32
const IS_DIGIT = Uint8Array.from({ length: 256 }, (_, byte) =>
  BASE32_ALPHABET.includes(String.fromCharCode(byte)) ? 1 : 0,
)

/** Finds which of the candidates a stream of bytes mentions, by the hash in their names. */
export function referenceScan(candidates: Iterable<StorePath>): ReferenceScan {
  const missing = new Map<string, StorePath>()
  for (const path of candidates) missing.set(hashPartOf(path), path)
  const found: StorePath[] = []
  let tail = Buffer.alloc(0)
  const look = (bytes: Buffer): void => {
    for (const hash of digitRuns(bytes)) {
      const path = missing.get(hash)
      if (path === undefined) continue
      found.push(path)
      missing.delete(hash)
    }
  }
  return {
    visit(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      const seam = Buffer.concat([tail, bytes.subarray(0, LENGTH - 1)])
      look(seam)
      if (bytes.length >= LENGTH) look(bytes)
      tail = Buffer.from((bytes.length >= LENGTH ? bytes : Buffer.concat([tail, bytes])).subarray(1 - LENGTH))
    },
    found: () => found.toSorted(),
  }
}

/** Yields every 32 digits in a row. Looks at the last character first, and so skips most of what is not base 32. */
function* digitRuns(bytes: Buffer): Generator<string, void, undefined> {
  let start = 0
  while (start + LENGTH <= bytes.length) {
    let index = start + LENGTH - 1
    while (index >= start && IS_DIGIT[bytes[index] ?? 0] === 1) index -= 1
    if (index >= start) {
      start = index + 1
    } else {
      yield bytes.toString('latin1', start, start + LENGTH)
      start += 1
    }
  }
}
