import { createHash } from 'node:crypto'
import { lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { systemErrorCode } from '@davit/files'
import type { Entry } from './clone.ts'
import { ORIGIN_FILE } from './origin-file.ts'
import { filesOf, type Source, type Tree } from './stack-tree.ts'

/** Whether a directory has all files of a stack as they are in a commit. Other files may be there, too. */
export async function isAsFetched(source: Source, tree: Tree, directory: string): Promise<boolean> {
  const files = await filesOf(source, tree)
  return files.every((file) => basename(file.path) === ORIGIN_FILE || isEqual(file, join(directory, file.path)))
}

function isEqual({ mode, object }: Entry, path: string): boolean {
  try {
    if (mode === LINK) return object === nameOf(readlinkSync(path, 'buffer'), object)
    const stat = lstatSync(path)
    const isProgram = (stat.mode & 0o100) !== 0
    return stat.isFile() && isProgram === (mode === PROGRAM) && object === nameOf(readFileSync(path), object)
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return false
  }
}

const LINK = '120000'
const PROGRAM = '100755'

/** Computes the name that git gives to a content, with the same algorithm as another name. */
function nameOf(content: Uint8Array, { length }: string): string {
  const hash = createHash(length === SHA1_DIGITS ? 'sha1' : 'sha256')
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex')
}

const SHA1_DIGITS = 40
