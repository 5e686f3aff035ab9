import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type Header, type Pack, pack } from 'tar-stream'
import { longNameRecord } from './long-name-record.ts'
import { fileChunks, type TreeEntry, walkTree } from './walk-tree.ts'

/** What an archive contains under a name: a tree of files, or a file with a text. */
export type ArchivePart = TreePart | TextPart

export interface TextPart {
  readonly name: string
  readonly text: string
  readonly time?: Date
}

export interface TreePart {
  readonly name: string
  readonly tree: string
  /** Time of everything in the tree. */
  readonly time?: Date
  /** Sees what is packed, and may refuse it at the end. */
  readonly visitor?: TreeVisitor
}

/** Sees a tree as it is read. */
export interface TreeVisitor {
  entry(entry: TreeEntry): void
  /** A part of the content of the last entry. */
  chunk(chunk: Uint8Array): void
  end(): void
}

/**
 * Packs parts into one tar stream; the same contents give the same bytes. Directories of trees are writable, since busybox tar could
 * not fill them otherwise; whoever unpacks the archive makes them read-only.
 */
export function packArchive(parts: Iterable<ArchivePart>): Readable {
  const archive = pack()
  addParts(archive, parts).then(
    () => archive.finalize(),
    (error: unknown) => archive.destroy(error instanceof Error ? error : new Error(String(error))),
  )
  return Readable.from(archive, { objectMode: false })
}

async function addParts(archive: Pack, parts: Iterable<ArchivePart>): Promise<void> {
  for (const part of parts) {
    if ('tree' in part) await addTree(archive, part)
    else await addText(archive, part)
  }
}

async function addTree(archive: Pack, { name, tree, time, visitor }: TreePart): Promise<void> {
  const mtime = time ?? COMMON.mtime
  for (const entry of walkTree(tree)) {
    const header = { ...headerOf(entry, entry.path === '' ? name : `${name}/${entry.path}`), mtime }
    visitor?.entry(entry)
    if (entry.kind === 'file') await addFile(archive, { header, source: join(tree, entry.path), entry, visitor })
    else await addEntry(archive, header)
  }
  visitor?.end()
}

async function addText(archive: Pack, { name, text, time }: TextPart): Promise<void> {
  const content = Buffer.from(text)
  const mtime = time ?? COMMON.mtime
  await addEntry(archive, { ...COMMON, mtime, name, type: 'file', mode: 0o644, size: content.length }, content)
}

interface FileToAdd {
  readonly header: EntryHeader
  readonly source: string
  readonly entry: TreeEntry & { readonly kind: 'file' }
  readonly visitor: TreeVisitor | undefined
}

async function addFile(archive: Pack, { header, source, entry, visitor }: FileToAdd): Promise<void> {
  await finished((done) => {
    const sink = archive.entry(shortened(archive, header), done)
    writeChunks(sink, fileChunks(source, entry.size), visitor).catch((error: unknown) => {
      sink.destroy(error instanceof Error ? error : new Error(String(error)))
    })
    return sink
  })
}

async function writeChunks(sink: EntrySink, chunks: Iterable<Buffer>, visitor?: TreeVisitor): Promise<void> {
  for (const chunk of chunks) {
    visitor?.chunk(chunk)
    if (!sink.write(chunk)) await new Promise((resolve) => sink.once('drain', () => resolve(undefined)))
  }
  sink.end(null)
}

async function addEntry(archive: Pack, header: EntryHeader, content?: Buffer): Promise<void> {
  await finished((done) =>
    content === undefined
      ? archive.entry(shortened(archive, header), done)
      : archive.entry(shortened(archive, header), content, done),
  )
}

type EntrySink = ReturnType<Pack['entry']>

/** Resolves once an entry is written. The reader of the archive may go away in the middle of it. */
function finished(begin: (done: (error?: Error | null) => void) => EntrySink): Promise<void> {
  return new Promise((resolve, reject) => {
    begin((error) => (error ? reject(error) : resolve())).on('error', reject)
  })
}

type EntryHeader = Pick<Header, 'name'> & Partial<Header>

const NAME_BYTES = 100

/** Writes names that do not fit into records of their own, so that the header for tar-stream needs no pax record. */
function shortened(archive: Pack, header: EntryHeader): EntryHeader {
  const { name, linkname } = header
  if (linkname && !fits(linkname)) archive.push(longNameRecord('K', linkname))
  if (!fits(name)) archive.push(longNameRecord('L', name))
  return {
    ...header,
    name: fits(name) ? name : 'long-name',
    ...(linkname ? { linkname: fits(linkname) ? linkname : 'long-link' } : {}),
  }
}

function fits(text: string): boolean {
  return text.length <= NAME_BYTES && Buffer.byteLength(text) === text.length
}

const COMMON = { uid: 0, gid: 0, mtime: new Date(1000) }

function headerOf(entry: TreeEntry, name: string): EntryHeader {
  const common = { ...COMMON, name }
  if (entry.kind === 'symlink') return { ...common, type: 'symlink', mode: 0o777, linkname: entry.target }
  if (entry.kind === 'directory') return { ...common, name: `${name}/`, type: 'directory', mode: 0o755 }
  return { ...common, type: 'file', mode: entry.executable ? 0o555 : 0o444, size: entry.size }
}
