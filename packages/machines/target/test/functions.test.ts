import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'
import { ROOT } from '../../../../scripts/executables.ts'

import { CALLED, ELSEWHERE, FUNCTIONS, functionsIn, NOT_IN_ALL } from './functions.ts'

const PACKAGES = join(ROOT, 'packages')
const TESTS = join(ROOT, 'packages/machines/target/test')
const all = [...FUNCTIONS.values()].flat()

test('every function of the scripts is called in every shell by some test, or has a reason not to be', () => {
  const words = [CALLED, ELSEWHERE, NOT_IN_ALL].flatMap((table) => Object.values(table).flat())
  const known = functionsIn(words)
  expect(all.filter((name) => !known.includes(name))).toEqual([])
  expect(known.filter((name) => !all.includes(name))).toEqual([])
  expect(words.filter((word) => !FUNCTIONS.has(word.split(' ', 1).join()))).toEqual([])
})

test('the tests of the tables are there, and look at what was called', () => {
  for (const row of Object.keys(CALLED)) {
    const text = readFileSync(join(TESTS, `${row}.machines.test.ts`), 'utf8')
    expect([row, text.includes(`testCalls(shell, '${row}')`)]).toEqual([row, true])
  }
  for (const path of Object.keys(ELSEWHERE)) expect([path, existsSync(join(PACKAGES, path))]).toEqual([path, true])
})
