import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const directory = mkdtempSync(join(tmpdir(), 'davit-inherited-'))
afterAll(() => rm(directory, { recursive: true }))

const PROGRAM = fileURLToPath(new URL('programs/starts.ts', import.meta.url))

test('programs get no descriptors of the caller, unless they read what the user names', () => {
  const lock = join(directory, 'lock')
  const script = 'exec 200>"$1"; shift; "$@"'
  const node = [process.execPath, '--import', 'tsx', '--conditions=source', PROGRAM]
  const { stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', lock, ...node], { encoding: 'utf8' })
  expect([stdout, stderr]).toEqual([`started /dev/null\nran /dev/null\nkeeps ${lock}\n`, ''])
})
