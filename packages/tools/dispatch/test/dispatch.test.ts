import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleTools } from '../../../../scripts/bundle-programs.ts'
import { summaryIn } from '../src/read-summary.ts'

const directory = mkdtempSync(join(tmpdir(), 'davit-dispatch-'))
const davit = join(directory, 'prefix/bin/davit')
const PATH = `${join(directory, 'elsewhere')}:${process.env.PATH}`

beforeAll(async () => {
  const entry = fileURLToPath(new URL('../src/bin.ts', import.meta.url))
  await bundleTools([{ name: 'davit', entry }], join(directory, 'prefix/lib/davit'))
  program('prefix/bin/davit-fail', 'echo failing >&2; exit 3')
  program('prefix/bin/davit-echo', 'echo "$#"; printf "<%s>" "$@"; cat')
  program('prefix/bin/davit-wait', 'trap "exit 5" TERM; echo up; while :; do sleep 0.05; done')
  program('elsewhere/davit-third', '[ "$1" = --help ] && echo third party')
  program('elsewhere/davit-echo', 'echo shadowed')
  file('elsewhere/davit-data', 'not executable')
  file('prefix/share/man/man1/davit-echo.1', '.TH X 1\n.SH NAME\ndavit\\-echo \\- Say what it is told\n.SH SYNOPSIS\n')
  symlinkSync('../lib/davit/bin/davit.cjs', davit)
})
afterAll(() => rmSync(directory, { recursive: true }))

test('davit TOOL runs the tool with its arguments and standard streams', () => {
  expect(run(['echo', '-q', '--help', 'a b', '--', '*'], 'input')).toEqual({
    status: 0,
    stdout: '5\n<-q><--help><a b><--><*>input',
    stderr: '',
  })
})

test('davit TOOL ends with the status of the tool', () => {
  expect(run(['fail'])).toEqual({ status: 3, stdout: '', stderr: 'failing\n' })
})

test('davit TOOL passes signals on', async () => {
  const child = spawn(davit, ['wait'])
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  expect(await once(child, 'close')).toEqual([5, null])
})

test('davit finds tools of third parties on PATH, and its own through links', () => {
  const link = join(directory, 'link')
  symlinkSync('prefix/bin/davit', link)
  expect(run(['help', 'third']).stdout).toBe('third party\n')
  expect(spawnSync(link, ['fail']).status).toBe(3)
})

test('davit --help lists the tools there are, with what their manual pages say', () => {
  const tools = /\nTools:\n((?: {2}.*\n)+)/.exec(run(['--help']).stdout)?.[1]
  expect(tools).toBe('  echo   Say what it is told\n  fail\n  third\n  wait\n')
  expect(run(['help']).stdout).toBe(run(['--help']).stdout)
})

test.each([
  [['ecoh'], "unknown tool 'ecoh': there is no davit-ecoh next to davit or on PATH", "did you mean 'echo'?"],
  [
    ['help', 'xyz'],
    "unknown tool 'xyz': there is no davit-xyz next to davit or on PATH",
    "'davit --help' lists the tools",
  ],
  [['data'], "unknown tool 'data': there is no davit-data next to davit or on PATH", "'davit --help' lists the tools"],
  [['../elsewhere/third'], "unknown tool '../elsewhere/third'", "'davit --help' lists the tools"],
  [[], 'no tool given', "'davit --help' lists the tools"],
  [['--verison'], "unknown option '--verison'", "did you mean '--version'?"],
])('davit %j is wrong usage', (words, message, hint) => {
  const { status, stderr } = run(words)
  expect(status).toBe(64)
  expect(stderr).toContain(`davit: ${message}`)
  expect(stderr).toContain(`hint: ${hint}\n`)
})

test('summaryIn() undoes what roff needs', () => {
  expect(summaryIn('.SH NAME\ndavit\\-x \\- Do a\\-b \\e c\n')).toBe('Do a-b \\ c')
  expect(summaryIn('nothing')).toBe('')
})

function run(words: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync(davit, words, { input, encoding: 'utf8', env: { ...process.env, PATH } })
  return { status, stdout, stderr }
}

function program(name: string, script: string): void {
  file(name, `#!/bin/sh\n${script}\n`)
  chmodSync(join(directory, name), 0o755)
}

function file(name: string, text: string): void {
  mkdirSync(dirname(join(directory, name)), { recursive: true })
  writeFileSync(join(directory, name), text)
}
