import { linkSync, mkdirSync, symlinkSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import { type Extract, extract } from 'tar-stream'
import { reasonOf, systemErrorCode } from './system-error.ts'

export interface UnpackLimits {
  readonly maxEntries: number
  /** Size of all files together. */
  readonly maxBytes: number
}

/**
 * Unpacks a tar stream of unknown origin into `directory`, which must not exist. Only files, directories, symbolic links
 * and hard links to files of the same archive are unpacked, each once, below directories that the archive itself has
 * made, so nothing can be written through a link. Of the permissions, only the executable bit of files is kept.
 */
export async function unpackArchive(archive: Readable, directory: string, limits: UnpackLimits): Promise<void> {
  const unpacking: Unpacking = { directory, limits, kinds: new Map([['', 'directory']]), entries: 0, bytes: 0, end: 0 }
  const read: Read = { bytes: 0, zeros: 0 }
  const extraction = extract()
  let reading: Promise<void> = Promise.resolve()
  try {
    mkdirSync(directory)
    reading = pipeline(archive, boundedArchive(limits, read), extraction)
    // It fails together with the loop below, which reports why.
    reading.catch(() => {})
    for await (const entry of extraction) await unpackEntry(unpacking, entry)
    await reading
    if (Math.min(read.zeros, read.bytes - unpacking.end) < END_BYTES) throw refusal('is truncated')
  } catch (error) {
    archive.destroy()
    throw unpackError(error)
  }
}

type Entry = Extract extends AsyncIterable<infer Source> ? Source : never

interface Unpacking {
  readonly directory: string
  readonly limits: UnpackLimits
  readonly kinds: Map<string, 'directory' | 'file' | 'symlink'>
  entries: number
  bytes: number
  /** Where in the archive the last entry ends. */
  end: number
}

const BLOCK = 512
/** Two empty blocks. */
const END_BYTES = 2 * BLOCK
const ENTRY_OVERHEAD_BYTES = 8 * 1024

/** Bytes read of the archive itself. */
interface Read {
  bytes: number
  /** Zeros at its end. */
  zeros: number
}

/** Passes an archive on, up to the size that the limits allow. */
function boundedArchive({ maxBytes, maxEntries }: UnpackLimits, read: Read): Transform {
  const most = maxBytes + (maxEntries + 8) * ENTRY_OVERHEAD_BYTES
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      read.bytes += chunk.length
      const end = chunk.findLastIndex((byte) => byte !== 0)
      read.zeros = end === -1 ? read.zeros + chunk.length : chunk.length - end - 1
      if (read.bytes > most) done(refusal('is too large'))
      else done(null, chunk)
    },
  })
}

async function unpackEntry(unpacking: Unpacking, entry: Entry): Promise<void> {
  const { header } = entry
  unpacking.entries += 1
  // tar-stream gives null for a number that it cannot read, and then waits forever for the end of the content.
  if (!Number.isFinite(header.size)) throw refusal(`contains ${quoted(header.name)}, whose size cannot be read`)
  unpacking.end = contentOffset(header) + Math.ceil(header.size / BLOCK) * BLOCK
  if (unpacking.entries > unpacking.limits.maxEntries) {
    throw refusal(`has more than ${unpacking.limits.maxEntries} entries`)
  }
  const name = checkedName(header.name)
  const known = unpacking.kinds.get(name)
  if (header.type === 'directory' && known === 'directory') return
  if (known !== undefined) throw refusal(`contains ${quoted(name)} twice`)
  checkParent(unpacking, name)
  await create(unpacking, name, entry)
  unpacking.kinds.set(name, header.type === 'directory' || header.type === 'symlink' ? header.type : 'file')
}

/** Where the content of an entry begins; the types of tar-stream lack that field. */
function contentOffset(header: Entry['header'] & { readonly byteOffset?: number }): number {
  return header.byteOffset ?? 0
}

function checkedName(name: string): string {
  if (name.startsWith('/')) throw refusal(`contains the absolute name ${quoted(name)}`)
  const steps = name.split('/').filter((step) => step !== '' && step !== '.')
  if (steps.includes('..')) throw refusal(`contains ${quoted(name)}, which leads outside`)
  if (!isText(name)) throw refusal(`contains ${quoted(name)}, which is not text in UTF-8`)
  if (steps.some((step) => Buffer.byteLength(step) > MAX_STEP_BYTES)) {
    throw refusal(`contains ${quoted(name)}, whose name is longer than ${MAX_STEP_BYTES} bytes`)
  }
  return steps.join('/')
}

const MAX_STEP_BYTES = 255

/** Whether a name could be decoded: Node replaces what it cannot decode with U+FFFD. */
function isText(name: string): boolean {
  return !name.includes('\ufffd') && !name.includes('\0')
}

const MAX_SHOWN = 200

function quoted(name: string | null): string {
  const text = name ?? ''
  return text.length > MAX_SHOWN ? `'${text.slice(0, MAX_SHOWN)}…'` : `'${text}'`
}

function checkParent({ kinds }: Unpacking, name: string): void {
  const parent = name.slice(0, Math.max(0, name.lastIndexOf('/')))
  const kind = kinds.get(parent)
  if (kind === 'symlink') throw refusal(`contains ${quoted(name)}, which goes through a link`)
  if (kind !== 'directory') throw refusal(`contains ${quoted(name)} without its directory`)
}

async function create(unpacking: Unpacking, name: string, entry: Entry): Promise<void> {
  const { type, linkname, size } = entry.header
  const path = join(unpacking.directory, name)
  if (type === 'file' || type === 'contiguous-file') return writeEntry(unpacking, path, entry)
  if (size !== 0) throw refusal(`contains ${quoted(name)}, which has content but is not a file`)
  if (type === 'directory') mkdirSync(path)
  else if (type === 'symlink') symlinkSync(checkedLinkTarget(name, linkname), path)
  else if (type === 'link') linkSync(join(unpacking.directory, checkedHardLink(unpacking, name, linkname)), path)
  else throw refusal(`contains ${quoted(name)}, which is not a file, directory or link`)
}

function checkedLinkTarget(name: string, target: string | null): string {
  if (target && isText(target)) return target
  throw refusal(`contains the link ${quoted(name)} without a target`)
}

function checkedHardLink({ kinds }: Unpacking, name: string, linkname: string | null): string {
  const target = checkedName(linkname ?? '')
  if (kinds.get(target) === 'file') return target
  throw refusal(`contains the hard link ${quoted(name)} to ${quoted(linkname)}, which is not a file of the archive`)
}

async function writeEntry(unpacking: Unpacking, path: string, entry: Entry): Promise<void> {
  const { mode, size, name, pax } = entry.header
  if ((mode & 0o6000) !== 0) throw refusal(`contains ${quoted(name)}, which is set-user-ID or set-group-ID`)
  if (Object.keys(pax ?? {}).some((key) => key.startsWith('GNU.sparse.'))) {
    throw refusal(`contains ${quoted(name)}, which is sparse: its content would differ`)
  }
  unpacking.bytes += size
  if (unpacking.bytes > unpacking.limits.maxBytes) throw refusal('is too large')
  await writeFile(path, entry as AsyncIterable<Buffer>, { flag: 'wx', mode: (mode & 0o100) === 0 ? 0o644 : 0o755 })
}

function refusal(why: string): DavitError {
  return new DavitError('bad-archive', `the archive ${why}`, { exitStatus: ExitStatus.badDocument })
}

function unpackError(error: unknown): unknown {
  if (error instanceof DavitError) return error
  if (systemErrorCode(error) !== undefined) {
    return new DavitError('cannot-unpack', `cannot unpack the archive: ${reasonOf(error)}`, {
      exitStatus: ExitStatus.cannotCreate,
      cause: error,
    })
  }
  return new DavitError('bad-archive', `the archive is damaged: ${reasonOf(error)}`, {
    exitStatus: ExitStatus.badDocument,
    cause: error,
  })
}
