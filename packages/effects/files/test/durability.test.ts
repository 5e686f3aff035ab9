import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { scratchDirectory } from '@davit/testing/scratch'
import { durableStepsOf, noStrace } from '@davit/testing/system-calls'
import { expect, test } from 'vitest'
import { programCompiler } from '../../../../scripts/test.d/program-compiler.ts'

const compile = programCompiler()
const program = new URL('../src/files.ts', import.meta.url).pathname

test.skipIf(noStrace !== undefined).each([
  ['{ mode: 0o604 }', '0600', '604'],
  ['{}', '0666', '666'],
])('writeFileAtomic() with %s is on the disk before and after it counts', async (options, createdAs, mode) => {
  const directory = scratchDirectory()
  const compiled = await compile(`import { writeFileAtomic } from '${program}'
    await writeFileAtomic('${directory}/file', 'secret', ${options})`)
  const all = durableStepsOf(compiled)
  const steps = all.filter((step) => step.includes(directory))
  expect(steps.map((step) => step.replaceAll(/\.davit-[0-9a-f]{16}/g, 'new').replaceAll(directory, 'D'))).toEqual([
    `created ${createdAs} D/new`,
    'synced D/new',
    'renamed D/new D/file',
    'synced D',
  ])
  expect(readdirSync(directory)).toEqual(['file'])
  expect((statSync(join(directory, 'file')).mode & 0o777).toString(8)).toBe(mode)
})
