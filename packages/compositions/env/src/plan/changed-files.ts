import { lstat } from 'node:fs/promises'

import { isMissing } from '@davit/files'
import { runCommand } from '@davit/process'
import type { ChangedPackage, FileChanges } from '@davit/review'
import type { ToolContext } from '@davit/tool'

type Surroundings = Pick<ToolContext<unknown>, 'environment' | 'signal'>

/** Compares the files of packages that change, where this machine has both. */
export async function changedFiles(
  packages: readonly ChangedPackage[],
  surroundings: Surroundings,
): Promise<FileChanges> {
  const changes = new Map<string, readonly string[]>()
  for (const one of packages) {
    // One after the other: each may be large.
    // oxlint-disable-next-line no-await-in-loop
    changes.set(one.service, await linesFor(one, surroundings))
  }
  return changes
}

async function linesFor({ from, to }: ChangedPackage, surroundings: Surroundings): Promise<readonly string[]> {
  for (const path of [from, to]) {
    // oxlint-disable-next-line no-await-in-loop
    if (!(await isHere(path))) return [`its files cannot be compared: ${path} is not on this machine`]
  }
  return bounded(diffLinesOf(await diffOf(from, to, surroundings), { from, to }))
}

async function isHere(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

async function diffOf(from: string, to: string, { environment, signal }: Surroundings): Promise<string> {
  // Links lead to other packages, which have changes of their own.
  const argv = ['diff', '--recursive', '--no-dereference', '--unified', '--', from, to] as const
  const { stdout, stderr } = await runCommand({ argv, env: { ...environment, LC_ALL: 'C' }, signal })
  return stdout + stderr
}

const ONLY_IN = 'Only in '

/** Removes from a diff what says nothing of the files: their directories, their times, and how diff was called. */
function diffLinesOf(text: string, { from, to }: Pick<ChangedPackage, 'from' | 'to'>): readonly string[] {
  const lines = wholeNames(text.split('\n')).filter((line) => line !== '' && !line.startsWith('diff --recursive'))
  const below = (path: string) => path.replace(`${from}/`, '').replace(`${to}/`, '')
  return lines.map((line) => {
    // A name may have line breaks; directories have none.
    const [first = ''] = line.split('\n', 1)
    const colon = first.lastIndexOf(': ')
    if (line.startsWith(ONLY_IN) && colon >= ONLY_IN.length) {
      const path = `${line.slice(ONLY_IN.length, colon)}/${line.slice(colon + 2)}`
      return `only ${path.startsWith(`${to}/`) ? 'now' : 'before'}: ${below(path)}`
    }
    if (/^[-+]{3} [^\t]*\t/.test(line)) return below(line.replace(/\t.*/, ''))
    return /^[-+ @\\]/.test(line) ? line : below(line)
  })
}

/** Puts together what a line break in the name of a file has parted: `diff` quotes only names of files that are in both. No name has a slash. */
function wholeNames(lines: readonly string[]): readonly string[] {
  const whole: string[] = []
  for (const line of lines) {
    const last = whole.length - 1
    const isPart = whole[last]?.startsWith('Only in ') === true && !line.includes('/')
    if (isPart) whole[last] += `\n${line}`
    else whole.push(line)
  }
  return whole.map((line) => (line.startsWith('Only in ') ? line.trimEnd() : line))
}

/** More is not read by anybody. */
const SHOWN = 1_000

function bounded(lines: readonly string[]): readonly string[] {
  return lines.length > SHOWN ? [...lines.slice(0, SHOWN), `… ${lines.length - SHOWN} more lines`] : lines
}
