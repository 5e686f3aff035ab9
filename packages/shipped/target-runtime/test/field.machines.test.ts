import { spawnSync } from 'node:child_process'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeField, encodeField } from '../src/field.ts'

// Any text without NUL and lone surrogates, which UTF-8 cannot encode.
const anyText = fc.string({ unit: 'binary', maxLength: 60 }).filter((text) => !text.includes('\0'))
const trickyText = fc
  .array(
    fc.constantFrom(
      '\\',
      '\\c',
      '\\0',
      '7',
      '\n',
      "'",
      '"',
      '$x',
      '`',
      '*',
      ' ',
      '\t',
      '-n',
      '%s',
      '\u0081',
      'ü',
      '🚢',
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''))
const fieldText = fc.oneof(anyText, trickyText)

test.each([
  ['', '\\c'],
  ['plain-1.0/x_y:z@h%+,={}"', 'plain-1.0/x_y:z@h%+,={}"'],
  ['a b', 'a\\0040b'],
  ['ü\n', '\\0303\\0274\\0012'],
  ['\\c', '\\0134c'],
])('encodeField(%j) is %s', (text, field) => {
  expect(encodeField(text)).toBe(field)
})

test('encodeField() refuses NUL', () => {
  expect(() => encodeField('a\0b')).toThrow(RangeError)
})

test('encodeField() makes one word of safe characters', () => {
  fc.assert(fc.property(fieldText, (text) => /^[A-Za-z0-9_./:@%+,={}"\\-]+$/.test(encodeField(text))))
})

test('decodeField() undoes encodeField()', () => {
  fc.assert(fc.property(fieldText, (text) => decodeField(encodeField(text)) === text))
})

const DECODE_LINES = `
  while IFS= read -r line; do
    set -- $line
    decoded=$(printf '%b.' "$1")
    printf '%s' "\${decoded%.}"
    printf '\\0'
  done`

describe.each([['dash'], ['bash', '--posix'], ['bash'], ['busybox', 'sh']])('%s %s', (shell, ...options) => {
  const found = spawnSync(shell, [...options, '-c', ':']).error === undefined
  if (!found) console.warn(`SKIPPED: there is no ${shell} on this machine`)

  test.runIf(found)('printf %b undoes encodeField()', () => {
    const texts = ['', '-n', '\\c', '\n', ...fc.sample(fieldText, { numRuns: 400, seed: 20_26 })]
    const { stdout } = spawnSync(shell, [...options, '-c', DECODE_LINES], {
      env: { ...process.env, LC_ALL: 'C' },
      input: texts.map((text) => `${encodeField(text)}\n`).join(''),
    })
    expect(stdout.toString().split('\0').slice(0, -1)).toEqual(texts)
  })
})
