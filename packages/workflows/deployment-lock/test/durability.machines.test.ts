import { statSync } from 'node:fs'
import { join } from 'node:path'
import { scratchDirectory } from '@davit/testing/scratch'
import { durableStepsOf, noStrace } from '@davit/testing/system-calls'
import { expect, test } from 'vitest'
import { programCompiler } from '../../../../scripts/test.d/program-compiler.ts'

const compile = programCompiler()
const program = new URL('../src/lock-record.ts', import.meta.url).pathname

test.skipIf(noStrace !== undefined)('a lock that is remembered is on the disk, and for its owner alone', async () => {
  const place = join(scratchDirectory(), 'coordinator/default')
  const compiled = await compile(`import { writeLockRecord } from '${program}'
    await writeLockRecord('${place}', { token: 'secret' })`)
  const steps = durableStepsOf(compiled)
  const named = steps.filter((step) => step.includes(place))
  expect(named.map((step) => step.replaceAll(/\.davit-[0-9a-f]{16}/g, 'T').replaceAll(place, 'P'))).toEqual([
    'created 0600 P/T',
    'synced P/T',
    'renamed P/T P/lock.json',
    'synced P',
  ])
  const modes = ['', 'lock.json'].map((path) => (statSync(join(place, path)).mode & 0o777).toString(8))
  expect(modes).toEqual(['700', '600'])
})
