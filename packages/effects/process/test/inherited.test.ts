import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { programCompiler } from '../../../../scripts/test.d/program-compiler.ts'

const directory = mkdtempSync(join(tmpdir(), 'davit-inherited-'))
afterAll(() => rm(directory, { recursive: true }))

const compile = programCompiler()

test('programs get no descriptors of the caller, unless they read what the user names', async () => {
  const lock = join(directory, 'lock')
  const script = 'exec 200>"$1"; shift; "$@"'
  const node = [process.execPath, await compile(new URL('programs/starts.ts', import.meta.url))]
  const { stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', lock, ...node], { encoding: 'utf8' })
  expect([stdout, stderr]).toEqual([`started /dev/null\nran /dev/null\nkeeps ${lock}\n`, ''])
})
