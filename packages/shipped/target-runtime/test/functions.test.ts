import { readdirSync, readFileSync } from 'node:fs'

import { expect, test } from 'vitest'

import { neededBy, textOf } from '../src/functions.ts'

const directory = new URL('../runtime/', import.meta.url)
const files = readdirSync(directory)
  .filter((name) => name !== 'client-module.sh')
  .map((name) => ({ name: name.slice(0, -3), text: readFileSync(new URL(name, directory), 'utf8') }))
const functions = files.flatMap(({ text }) => Array.from(text.matchAll(/^(\w+)\(\) [{(]$/gm), ([, name = '']) => name))

test('every function has a text, which ends where the function ends', () => {
  for (const name of functions)
    expect(textOf([name])).toMatch(new RegExp(`^${name}\\(\\) (?:\\{\\n[^]*\\n\\}|\\(\\n[^]*\\n\\))\\n$`))
  const all = [...files.map(({ name }) => `.${name}`), ...functions]
  const lines = (text: string) => text.split('\n').map((line) => line.trim())
  expect(lines(textOf(all)).toSorted()).toEqual(
    files
      .flatMap(({ text }) => lines(text).filter((line) => line !== '' && !line.startsWith('#')))
      .concat('')
      .toSorted(),
  )
})

test.each(files)('$name sets variables besides defining functions, and does nothing else', ({ name }) => {
  const statements = textOf([`.${name}`])
    .replaceAll(/'[^']*'/g, "''")
    .split('\n')
  const setting = /^(?:|\w+=.*|set -u|umask 022|\{ IFS= read -r boot .*)$/
  expect(statements.filter((line) => !setting.test(line))).toEqual([])
})

test('functions need what their texts name, directly or not, and what sets their variables', () => {
  expect(neededBy(['first_line'])).toEqual(['.common', 'first_line'])
  expect(neededBy(['rename_text'])).toEqual(['.common', 'rename_text', 'write_text'])
  // As the argument of another one, in a trap, and as the default of a variable.
  const started = ['begin_activity', 'abandon_activity', 'become_module']
  expect(neededBy(['operation_start'])).toEqual(expect.arrayContaining(started))
  expect(neededBy(['check_path'])).toContain('.safe-path')
  expect(neededBy(['operation_look'])).not.toContain('run_activity')
})

test('what belongs to a file that is left out is not needed', () => {
  expect(neededBy(['resolve_module'])).toContain('client_module')
  expect(neededBy(['resolve_module'], (file) => file === 'client')).not.toContain('client_module')
})

test('a name that no function has is refused', () => {
  expect(() => neededBy(['no_such_function'])).toThrow("the runtime has no function 'no_such_function'")
})

/** `neededBy` does not see such calls. Whoever sends these two files names what they call. */
const COMPOSING = ['interface', 'serve']

test('no other function is called by a name that is put together', () => {
  const composing = files.filter(({ text }) => /(?:^|[;&|!(]|(?<!\$)\{|\b(?:then|do|else)\b)[ \t]*"?\w+_\$/m.test(text))
  expect(composing.map(({ name }) => name)).toEqual(COMPOSING)
})
