import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

import { expect, test } from 'vitest'

const PARTS = ['common', 'claim', 'runner']
  .map((part) => readFileSync(new URL(`../runtime/${part}.sh`, import.meta.url), 'utf8'))
  .join('\n')
const shells = [['dash'], ['bash'], ['busybox', 'sh']].filter(
  ([program = '']) => spawnSync(program, ['--help']).error === undefined,
)

test.each(shells)('watch_module() leaves no process if the module ends immediately, in %s', (...shell) => {
  const [program = '', ...options] = shell
  const seconds = `7.${Math.floor(Math.random() * 1e9)}`
  // Each time a little later.
  const script = `${PARTS}
    round=0
    while [ "$round" -lt 200 ]; do
      : &
      watch_module 999999:1:gone ${seconds} &
      watch=$!
      delay=0
      while [ "$delay" -lt "$((round * 4))" ]; do delay=$((delay + 1)); done
      was_late && exit 1
      round=$((round + 1))
    done`
  expect(spawnSync(program, [...options, '-c', script]).status).toBe(0)
  expect(spawnSync('pgrep', ['-fx', `sleep ${seconds}`], { encoding: 'utf8' }).stdout).toBe('')
})
