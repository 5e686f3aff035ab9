import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type Header, type Pack, pack } from 'tar-stream'
import { longNameRecord } from './long-name-record.ts'
import { fileChunks, type TreeEntry, walkTree } from './walk-tree.ts'

/**
 * Packs trees below `root` into one tar stream, with names relative to `root`; the same trees give the same bytes. Its
 * directories are writable, since busybox tar could not fill them otherwise; whoever unpacks it makes them read-only.
 */
export function packArchive(root: string, names: readonly string[]): Readable {
  const archive = pack()
  addTrees(archive, root, names).then(
    () => archive.finalize(),
    (error: unknown) => archive.destroy(error instanceof Error ? error : new Error(String(error))),
  )
  return Readable.from(archive, { objectMode: false })
}

async function addTrees(archive: Pack, root: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const tree = join(root, name)
    for (const entry of walkTree(tree)) {
      const path = entry.path === '' ? name : `${name}/${entry.path}`
      if (entry.kind === 'file') await addFile(archive, { path, source: join(tree, entry.path), entry })
      else await addEntry(archive, headerOf(entry, path))
    }
  }
}

interface FileToAdd {
  readonly path: string
  readonly source: string
  readonly entry: TreeEntry & { readonly kind: 'file' }
}

async function addFile(archive: Pack, { path, source, entry }: FileToAdd): Promise<void> {
  const header = headerOf(entry, path)
  await new Promise<void>((resolve, reject) => {
    const sink = archive.entry(shortened(archive, header), (error) => (error ? reject(error) : resolve()))
    // The reader of the archive may go away in the middle of a file.
    sink.on('error', reject)
    writeChunks(sink, fileChunks(source, entry.size)).catch((error: unknown) => {
      sink.destroy(error instanceof Error ? error : new Error(String(error)))
    })
  })
}

async function writeChunks(sink: ReturnType<Pack['entry']>, chunks: Iterable<Buffer>): Promise<void> {
  for (const chunk of chunks) {
    if (!sink.write(chunk)) await new Promise((resolve) => sink.once('drain', () => resolve(undefined)))
  }
  sink.end(null)
}

async function addEntry(archive: Pack, header: EntryHeader): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    archive.entry(shortened(archive, header), (error) => (error ? reject(error) : resolve()))
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

function headerOf(entry: TreeEntry, name: string): EntryHeader {
  const common = { name, uid: 0, gid: 0, mtime: new Date(1000) }
  if (entry.kind === 'symlink') return { ...common, type: 'symlink', mode: 0o777, linkname: entry.target }
  if (entry.kind === 'directory') return { ...common, name: `${name}/`, type: 'directory', mode: 0o755 }
  return { ...common, type: 'file', mode: entry.executable ? 0o555 : 0o444, size: entry.size }
}
