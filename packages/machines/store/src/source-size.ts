import { lstatSync, readdirSync } from 'node:fs'
import { DavitError, ExitStatus, printable, renderBytes } from '@davit/diagnostics'
import { HOW_TO_ALLOW_MORE } from './size-limit.ts'

/** Refuses a source that is larger than the limit, before it is read. Skips what it cannot examine: reading will fail there. */
export function checkSourceSize(path: string, origin: string, limit: number): void {
  const entries = new Map<string, number>()
  let total = 0
  let looksMore = LOOKS_BEYOND
  for (const { entry, bytes } of filesIn(Buffer.from(origin))) {
    total += bytes
    entries.set(entry, (entries.get(entry) ?? 0) + bytes)
    if (total > limit && (looksMore -= 1) === 0) break
  }
  if (total > limit) throw tooLarge(path, limit, entries)
}

/** Files that are still counted once the limit is exceeded, to find the entries that are to blame. */
const LOOKS_BEYOND = 100_000
const NAMED = 3

interface CountedFile {
  /** Entry of the root that contains the file; empty for the root itself. */
  readonly entry: string
  readonly bytes: number
}

function* filesIn(path: Buffer, entry = ''): Generator<CountedFile, void, undefined> {
  const status = orNothing(() => lstatSync(path))
  if (status?.isFile() === true) yield { entry, bytes: status.size }
  if (status?.isDirectory() !== true) return
  for (const name of namesIn(path)) {
    yield* filesIn(Buffer.concat([path, SLASH, name]), entry === '' ? name.toString() : entry)
  }
}

/** Names as bytes, since Nix accepts any. */
function namesIn(directory: Buffer): readonly Buffer[] {
  return orNothing(() => readdirSync(directory, 'buffer')) ?? []
}

const SLASH = Buffer.from('/')

function orNothing<Result>(look: () => Result): Result | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}

function tooLarge(path: string, limit: number, entries: ReadonlyMap<string, number>): DavitError {
  const biggest = [...entries].toSorted(([, left], [, right]) => right - left).slice(0, NAMED)
  const named = biggest
    .filter(([name]) => name !== '')
    .map(([name, bytes]) => `'${printable(name)}' has ${renderBytes(bytes)}`)
  const message = `the source '${path}' is larger than ${renderBytes(limit)}${named.length === 0 ? '' : `: ${named.join(', ')}`}`
  return new DavitError('source-too-large', message, {
    exitStatus: ExitStatus.badDocument,
    hint: `name a directory that contains only what the package needs; ${HOW_TO_ALLOW_MORE}`,
  })
}
