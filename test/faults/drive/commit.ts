import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { ROOT } from '../../../scripts/executables.ts'

/** Returns the current commit, followed by `+` and a digest if there are uncommitted changes. Changes to `except` do not count. */
export function commitHere(except: string): string {
  const commit = git('rev-parse', 'HEAD').trim()
  const untracked = git('ls-files', '--others', '--exclude-standard', '-z')
    .split('\0')
    .filter((file) => file !== '' && resolve(ROOT, file) !== resolve(except))
  const changes = [
    git('diff', 'HEAD', '--binary'),
    ...untracked.flatMap((file) => [file, git('hash-object', '--', file)]),
  ].join('')
  return changes === '' ? commit : `${commit}+${createHash('sha256').update(changes).digest('hex').slice(0, 12)}`
}

function git(...args: readonly string[]): string {
  try {
    return execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8', maxBuffer: 2 ** 30, stdio: 'pipe' })
  } catch (error) {
    throw new Error(`--resume needs a git checkout: ${(error as Error).message.trimEnd()}`, { cause: error })
  }
}
