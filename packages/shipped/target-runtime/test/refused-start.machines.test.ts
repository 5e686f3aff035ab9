import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { helperText } from '../src/target-runtime.ts'

const shells = [['dash'], ['bash'], ['busybox', 'sh']].filter(
  ([program = '']) => spawnSync(program, ['--help']).error === undefined,
)

test.each(shells)('an activity that was refused has no end, in %s', (...shell) => {
  const directory = mkdtempSync(join(tmpdir(), 'davit-refused-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const [program = '', ...options] = shell
  const requests = [
    '1 start t1 default - activate 0 process key module /missing pkg /store/x container process',
    '2 start t1 default - lock 0 process key',
    '3 start t1 default - deactivate 0 process key',
  ]
  const { stdout, stderr } = spawnSync(
    program,
    [...options, '-c', helperText({ role: 'deploy', marker: 'marker', operations: ['start'] }).script],
    {
      env: { ...process.env, DAVIT_STATE_DIR: directory },
      input: `${requests.join('\n')}\n`,
      encoding: 'utf8',
    },
  )
  const answers = stdout.split('\n').map((line) => line.split(' ').slice(0, 3).join(' '))
  expect(answers).toEqual(['', 'marker', '1 ! no-module', '2 ! no-record', '3 =', ''])
  expect(stderr).toBe('done 3 0\n')
  expect(readdirSync(join(directory, 'targets/t1/active/default'))).toEqual([])
})
