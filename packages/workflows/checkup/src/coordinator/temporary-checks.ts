import { lstat, readdir } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

import { shellWord } from '@davit/diagnostics'
import { type Check, found } from '../check.ts'
import type { CheckupTerms } from '../terms.ts'
import { listed } from '../words.ts'

/** Looks for temporary directories that tools have left which were killed. */
export async function temporaryChecks({ environment }: Pick<CheckupTerms, 'environment'>): Promise<readonly Check[]> {
  const place = environment['TMPDIR'] || tmpdir()
  const names = (await readdir(place).catch(() => [])).filter((name) => OURS.test(name)).toSorted()
  const isOld = await Promise.all(names.map((name) => isLeft(join(place, name))))
  const old = names.filter((_, index) => isOld[index])
  if (old.length === 0) return []
  const finding = {
    text: `${place} has what is older than a day: ${listed(old)}`,
    means: 'tools that were killed have left them',
    remedy: `rm -r ${old.map((name) => shellWord(join(place, name))).join(' ')}`,
  }
  return [found('temporary-files', 'note', finding)]
}

/** As `withTemporaryDirectory`, `davit-env`, `davit-connect`, `davit-fetch-stacks` and `davit-client` name them. */
const OURS = /^davit-(?:[A-Za-z0-9]{6}|(?:env|connect|fetch)\..+|export-[A-Za-z0-9]{6})$/

async function isLeft(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined)
  if (found === undefined || !found.isDirectory() || found.uid !== userInfo().uid) return false
  return Date.now() - found.mtimeMs > A_DAY
}

const A_DAY = 86_400_000
