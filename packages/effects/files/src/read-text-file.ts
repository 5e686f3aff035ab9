import { open } from 'node:fs/promises'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import { isDenied, reasonOf } from './system-error.ts'

/** The limit of the readers of documents; a device may have no end. */
const MAX_BYTES = 256 * 1024 * 1024
const CHUNK_BYTES = 1024 * 1024

/** Reads a file in UTF-8, without its byte order mark; every failure is an error that the user can act on. */
export async function readTextFile(path: string): Promise<string> {
  const content = await readBytes(path).catch((cause: unknown) => {
    throw cause instanceof DavitError ? cause : readError(path, cause)
  })
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch (cause) {
    throw new DavitError('not-text', `cannot read '${path}': it is not text in UTF-8`, {
      exitStatus: ExitStatus.badDocument,
      hint: 'convert it to UTF-8, or name another file',
      cause,
    })
  }
}

async function readBytes(path: string): Promise<Buffer> {
  const file = await open(path)
  const chunks: Buffer[] = []
  // It is 0 for anything but a regular file, so what is read is counted as well.
  let { size: most } = await file.stat()
  let size = 0
  // The stream closes the file at its end.
  for await (const chunk of file.createReadStream({ highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    most = Math.max(most, size)
    if (most > MAX_BYTES) throw tooLarge(path)
  }
  return Buffer.concat(chunks)
}

function tooLarge(path: string): DavitError {
  return new DavitError('too-large', `cannot read '${path}': it is larger than ${MAX_BYTES / 1024 / 1024} MiB`, {
    exitStatus: ExitStatus.badDocument,
    hint: 'name another file; no document is that large',
  })
}

function readError(path: string, cause: unknown): DavitError {
  const denied = isDenied(cause)
  return new DavitError('cannot-read', `cannot read '${path}': ${reasonOf(cause)}`, {
    exitStatus: denied ? ExitStatus.permission : ExitStatus.noInput,
    hint: denied ? 'check its permissions' : 'check the path',
    cause,
  })
}
