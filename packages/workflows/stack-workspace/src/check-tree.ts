import { rmSync } from 'node:fs'
import { basename, join, posix } from 'node:path'
import { DavitError, ExitStatus, quoted } from '@davit/diagnostics'
import { type TreeEntry, walkTree } from '@davit/files'
import { ORIGIN_FILE } from './origin-file.ts'

/** Refuses what a stack from elsewhere must not contain, and removes records that only davit may write. */
export function checkTree(directory: string): void {
  for (const entry of walkTree(directory)) {
    const why = whyRefused(entry)
    if (why !== undefined) {
      throw new DavitError('bad-repository', `it contains ${quoted(entry.path)}, ${why}`, {
        exitStatus: ExitStatus.badDocument,
      })
    }
    if (basename(entry.path) === ORIGIN_FILE) rmSync(join(directory, entry.path))
  }
}

function whyRefused(entry: TreeEntry): string | undefined {
  if (looksLikeGit(basename(entry.path))) return 'which git would take for a repository'
  if (entry.kind === 'directory' && basename(entry.path) === ORIGIN_FILE) return 'which is no record of an origin'
  if (entry.kind !== 'symlink') return undefined
  return leadsOut(entry.path, entry.target) ? 'which is a link out of it' : undefined
}

/** As git itself sees names on file systems of Windows and macOS, where the workspace may be copied to. */
function looksLikeGit(name: string): boolean {
  const [plain = ''] = name.replaceAll(IGNORED, '').toLowerCase().split(':')
  return ['.git', 'git~1'].includes(plain.replace(/(?<![. ])[. ]+$/, ''))
}

/** Characters that HFS+ does not see. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/**
 * Whether a link may lead out of the tree. Steps up are counted from the directory that the link is in, which no link leads to; a step
 * up after a step down could go through another link, so it is refused.
 */
function leadsOut(path: string, target: string): boolean {
  const steps = target.split('/').filter((step) => step !== '' && step !== '.')
  const up = steps.findIndex((step) => step !== '..')
  const ups = up === -1 ? steps.length : up
  const depth = path.split('/').length - 1
  return posix.isAbsolute(target) || ups > depth || steps.lastIndexOf('..') >= ups
}
