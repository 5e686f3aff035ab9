/**
 * Set-up of every test file: charges the processor time of what follows, with all processes that the file starts, to a control group
 * of the file. `scripts/test` makes the directory of these groups, and reads them at the end. Where it can make none, it names a file
 * instead, to which each test file adds what its process and the children that ended have used.
 */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, expect } from 'vitest'

const { DAVIT_TEST_GROUPS: groups, DAVIT_TEST_TIMES: times } = process.env
const { testPath } = expect.getState()
const path = testPath === undefined ? undefined : relative(process.cwd(), testPath)

if (groups && path !== undefined) {
  const group = join(groups, path.replaceAll('/', '%'))
  mkdirSync(group, { recursive: true })
  writeFileSync(join(group, 'cgroup.procs'), String(process.pid))
} else if (times && path !== undefined) {
  const before = usedNanoseconds()
  afterAll(() => appendFileSync(times, `${usedNanoseconds() - before}\t${path}\n`))
}

/** Returns what this process and its children have used, which Linux counts in hundredths of a second. */
function usedNanoseconds(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 1e7, 0)
}
