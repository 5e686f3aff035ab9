import { dirname } from 'node:path'
import { hasCode, printable, renderTime } from '@davit/diagnostics'
import { type TreeEntry, walkTimes } from '@davit/files'
import { isTimeOfContent } from './package-times.ts'
import type { Registration } from './registration.ts'
import { treeDigester } from './tree-digest.ts'

/** What shows without reading contents that something may have changed. */
export interface Signs {
  readonly size: number
  /** Of the files with another time than they were given: the first that is not a mere cache, or else the first; and how many. */
  readonly file: Changed | undefined
  readonly files: number
  /** The first directory with another time. */
  readonly directory: Changed | undefined
  /** Directories with another time. */
  readonly directories: ReadonlySet<string>
  /** What the tree contains that no package can. */
  readonly unusual: string | undefined
}

interface Changed {
  readonly path: string
  readonly time: Date
}

/** Looks at the sizes and times in a package. */
export function signsIn({ path: root, contentHash }: Registration): Signs {
  const digester = treeDigester()
  const changed: TimedChange[] = []
  let unusual: string | undefined
  try {
    for (const { entry, modified } of walkTimes(root)) {
      digester.entry(entry)
      // Not every tar gives links their times; a link that was replaced shows by the time of its directory.
      if (entry.kind !== 'symlink' && !isTimeOfContent(modified, contentHash))
        changed.push({ kind: entry.kind, path: entry.path, time: new Date(modified) })
    }
  } catch (error) {
    if (!hasCode(error, 'unusual-file')) throw error
    unusual = error.message
  }
  const files = changed.filter(({ kind }) => kind === 'file')
  const directories = changed.filter(({ kind }) => kind === 'directory')
  return {
    size: digester.size(),
    file: files.find(({ path }) => !isCache(path)) ?? files[0],
    files: files.length,
    directory: directories[0],
    directories: new Set(directories.map(({ path }) => path)),
    unusual,
  }
}

interface TimedChange extends Changed {
  readonly kind: TreeEntry['kind']
}

/** Whether a file is one that Python writes beside programs. */
function isCache(path: string): boolean {
  return path.includes('__pycache__/')
}

/** Says how a package differs from its registration, as far as its signs show. */
export function differenceIn({ size }: Registration, signs: Signs): string {
  const { file, directory, unusual } = signs
  if (unusual !== undefined) return printable(unusual)
  if (file !== undefined) return fileText(file, signs)
  if (directory !== undefined)
    return `something was removed from ${quoted(directory.path)} on ${renderTime(directory.time)}`
  if (signs.size !== size) return `it has ${signs.size} bytes instead of ${size}`
  return 'its content differs, though nothing in it has another time: a disk may have altered it'
}

function fileText({ path, time }: Changed, { files, directories }: Signs): string {
  const parent = dirname(path)
  const isNew = path !== '' && directories.has(parent === '.' ? '' : parent)
  const others = files === 1 ? '' : `, and ${files - 1} more`
  return `${quoted(path)} was ${isNew ? 'added or replaced' : 'changed'} on ${renderTime(time)}${others}`
}

function quoted(path: string): string {
  return path === '' ? 'it' : `'${printable(path)}'`
}
