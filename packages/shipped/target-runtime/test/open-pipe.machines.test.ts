import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const PARTS = ['common', 'runner']
  .map((part) => readFileSync(new URL(`../runtime/${part}.sh`, import.meta.url), 'utf8'))
  .join('\n')
const shells = [['dash'], ['bash'], ['busybox', 'sh']].filter(
  ([program = '']) => spawnSync(program, ['--help']).error === undefined,
)

const KINDS = [
  ['a here-document', ''],
  ['a named pipe, where here-documents are files', 'is_pipe() { return 1; }'],
] as const

describe.each(shells)('open_pipe() in %s', (...shell) => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'davit-pipe-'))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  const [program = '', ...options] = shell
  const run = (script: string) =>
    spawnSync(program, [...options, '-c', `${PARTS}\ndavit_directory='${directory}'\n${script}`], { encoding: 'utf8' })

  test.each(KINDS)('makes a pipe of %s, which ends with its last writer, and leaves nothing', (_, otherwise) => {
    const { stdout } = run(`${otherwise}
      open_pipe || exit
      (exec 6<&-; echo first >&7; sleep 0.1; echo last >&7) &
      exec 7>&-
      cat <&6`)
    expect([stdout, readdirSync(directory)]).toEqual(['first\nlast\n', []])
  })

  test('fails if there is no place for a named pipe', () => {
    mkdirSync(join(directory, 'output'))
    expect(run('is_pipe() { return 1; }\nopen_pipe; echo "$?"').stdout).toBe('1\n')
  })
})
