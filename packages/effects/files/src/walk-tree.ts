import { closeSync, lstatSync, openSync, readdirSync, readlinkSync, readSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { DavitError } from '@davit/diagnostics'

/** An entry of a tree. Its path is relative to the root of the walk; that of the root is ''. */
export type TreeEntry =
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'file'; readonly path: string; readonly size: number; readonly executable: boolean }
  | { readonly kind: 'symlink'; readonly path: string; readonly target: string }

/** An entry of a tree, and when it was changed, in milliseconds since 1970. */
export interface TimedEntry {
  readonly entry: TreeEntry
  readonly modified: number
}

/** Visits a tree in the order of its names, parents first; refuses sockets, devices, named pipes and paths that are too long. */
export function* walkTree(root: string): Generator<TreeEntry, void, undefined> {
  for (const { entry } of walkTimes(root)) yield entry
}

/** Like `walkTree`, with the time of each entry. */
export function* walkTimes(root: string, path = ''): Generator<TimedEntry, void, undefined> {
  const absolute = path === '' ? root : join(root, path)
  const status = lstatSync(absolute)
  yield { entry: entryOf(absolute, path, status), modified: status.mtimeMs }
  if (!status.isDirectory()) return
  for (const name of sortedNames(absolute)) yield* walkTimes(root, pathWithin(root, path, name))
}

function entryOf(absolute: string, path: string, status: Stats): TreeEntry {
  if (status.isDirectory()) return { kind: 'directory', path }
  if (status.isFile()) return { kind: 'file', path, size: status.size, executable: (status.mode & 0o100) !== 0 }
  if (status.isSymbolicLink()) return { kind: 'symlink', path, target: readlinkSync(absolute) }
  throw new DavitError('unusual-file', `'${absolute}' is a ${unusualKind(status)}`, {
    hint: 'remove it; packages contain only files, directories and symbolic links',
  })
}

/** Leaves room for the directory in which a tree is put: the system takes paths of at most 4096 bytes. */
const MAX_PATH_CHARACTERS = 3000
const CHUNK_BYTES = 256 * 1024

/** Reads a file in chunks; fails if it does not have the size that it had when it was visited. */
export function* fileChunks(path: string, size: number): Generator<Buffer, void, undefined> {
  const file = openSync(path, 'r')
  try {
    let left = size
    while (left > 0) {
      const chunk = Buffer.allocUnsafe(Math.min(left, CHUNK_BYTES))
      const count = readSync(file, chunk)
      if (count === 0) throw changed(path)
      left -= count
      yield chunk.subarray(0, count)
    }
    if (readSync(file, Buffer.allocUnsafe(1)) > 0) throw changed(path)
  } finally {
    closeSync(file)
  }
}

function sortedNames(directory: string): readonly string[] {
  const names = readdirSync(directory).toSorted()
  // Node replaces what it cannot decode with U+FFFD, and then cannot find the file.
  const strange = names.find((name) => name.includes('\ufffd'))
  if (strange === undefined) return names
  throw new DavitError('unusual-file', `the name '${strange}' in '${directory}' is not text in UTF-8`, {
    hint: 'rename the file',
  })
}

function unusualKind(status: Stats): string {
  if (status.isSocket()) return 'socket'
  if (status.isFIFO()) return 'named pipe'
  return 'device'
}

function changed(path: string): DavitError {
  return new DavitError('file-changed', `'${path}' changed while it was read`, {
    hint: 'run the same command again when nothing writes to it',
  })
}

function pathWithin(root: string, path: string, name: string): string {
  const inner = path === '' ? name : `${path}/${name}`
  if (inner.length <= MAX_PATH_CHARACTERS) return inner
  throw new DavitError('unusual-file', `a path in '${root}' has ${inner.length} characters: '${inner.slice(0, 40)}…'`, {
    hint: `shorten it; paths in packages have at most ${MAX_PATH_CHARACTERS} characters`,
  })
}
