import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { installedShells } from '@davit/testing/shells'
import { afterAll, describe, expect, test } from 'vitest'

import { helperText } from '../src/target-runtime.ts'

const directory = mkdtempSync(join(tmpdir(), 'davit-define-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

describe.each(installedShells())('a helper that is given functions, in $name', ({ program, path }) => {
  function answersTo(input: string): readonly string[] {
    const { script } = helperText({ role: 'deploy', marker: 'marker' })
    const env = { PATH: path, DAVIT_STATE_DIR: directory }
    const { stdout } = spawnSync(program, ['-c', script], { input, encoding: 'utf8', env })
    return stdout.split('\nmarker\n')[1]?.split('\n').slice(0, -1) ?? []
  }
  const definitions = 'operation_log() {\nsay log "$1" \'ü\'\n}\n# end\n'
  const request = `define ${Buffer.byteLength(definitions)} 1 log a\\0040b\n${definitions}`

  test('carries out the request with which they come', () => {
    expect(answersTo(request)).toEqual(['1 + log a\\0040b ü', '1 ='])
  })

  test('refuses an operation for which it was given none', () => {
    expect(answersTo('1 log a\n').join()).toMatch(/^1 ! failed \w+$/)
    expect(answersTo('1 snapshots a\n').join()).toMatch(/^1 ! bad-request \w+$/)
  })

  test('does nothing if they have not come as a whole', () => {
    for (let cut = request.length - 2; cut > 0; cut -= 7) expect(answersTo(request.slice(0, cut))).toEqual([])
  })
})
