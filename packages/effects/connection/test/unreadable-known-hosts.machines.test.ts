import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AS_NOBODY } from '@davit/testing/nobody'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { programCompiler } from '../../../../scripts/test.d/program-compiler.ts'

const compile = programCompiler()

let directory: string
let judge: string
beforeAll(async () => {
  judge = await compile(new URL('programs/judge.ts', import.meta.url))
  directory = mkdtempSync(join(tmpdir(), 'davit-known-hosts-'))
  chmodSync(directory, 0o755)
  mkdirSync(join(directory, 'directory'))
  symlinkSync('loop', join(directory, 'loop'))
  writeFileSync(join(directory, 'closed'), '')
  chmodSync(join(directory, 'closed'), 0)
  writeFileSync(join(directory, 'empty'), '')
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

function judged(file: string, files = 'all', within: readonly string[] = []): string {
  const node = [process.execPath, judge, join(directory, file), files]
  const [program = '', ...rest] = [...within, ...node]
  const { stdout, stderr } = spawnSync(program, rest, { encoding: 'utf8' })
  return `${stdout}${stderr}`.trim()
}
const refusal = (file: string, reason: string) =>
  `77 cannot check the host key of 'web1': cannot read '${join(directory, file)}': ${reason}`

test.each([
  ['directory', 'it is a directory'],
  ['loop', 'too many symbolic links'],
  ['empty/file', 'a part of the path is not a directory'],
])('a known_hosts file that cannot be read is named: %s', (file, reason) => {
  expect(judged(file)).toBe(refusal(file, reason))
})

test('an unreadable known_hosts file of another user is named', () => {
  const isRoot = process.getuid?.() === 0
  const other = isRoot ? AS_NOBODY : []
  expect(judged('closed', 'all', other)).toBe(refusal('closed', 'permission denied'))
})

test('a known_hosts file is named when too many files are open', () => {
  const few = ['sh', '-c', 'ulimit -n 64; exec "$@"', 'sh']
  expect(judged('empty', 'none', few)).toBe(refusal('empty', 'too many open files'))
})

test.each(['empty', 'missing'])('a known_hosts file without hosts is usable: %s', (file) => {
  expect(judged(file)).toBe('usable')
})
