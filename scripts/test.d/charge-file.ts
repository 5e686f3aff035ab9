/**
 * Set-up of every test file: charges the processor time of what follows, with all processes that the file starts, to a control group
 * of the file. `scripts/test` makes the directory of these groups, and reads them at the end.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect } from 'vitest'

const { DAVIT_TEST_GROUPS: groups } = process.env
const { testPath } = expect.getState()

if (groups && testPath !== undefined) {
  const group = join(groups, relative(process.cwd(), testPath).replaceAll('/', '%'))
  mkdirSync(group, { recursive: true })
  writeFileSync(join(group, 'cgroup.procs'), String(process.pid))
}
