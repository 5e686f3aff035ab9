import { readFileSync } from 'node:fs'

import { expect, test } from 'vitest'

import { ERROR_CODES, errorCodes, messageCodes } from '../../../../scripts/codes.ts'
import { ERRORS_PAGE, errorsPage } from '../../../../scripts/errors-page.ts'

const MESSAGES = await messageCodes()

test('docs/errors.md is generated from the tables (npx tsx scripts/code-pages.ts)', () => {
  expect(readFileSync(ERRORS_PAGE, 'utf8')).toBe(errorsPage(MESSAGES))
})

test('each code of the table of errors is used, and each code of a script is in the table', () => {
  expect(errorCodes()).toEqual(Object.keys(ERROR_CODES).toSorted())
  expect(errorCodes()).toContain('bad-record')
})

test('each code is explained in sentences', () => {
  const explained = [...Object.entries(ERROR_CODES), ...MESSAGES.map(({ code, about }) => [code, about] as const)]
  expect(explained.filter(([, about]) => !/^[A-Z`d].{20,}\.$/.test(about))).toEqual([])
})

const IN_EVERY_LINE = ['time', 'kind', 'tool', 'code', 'message', 'severity', 'place', 'path', 'fields']
const MEANT = new Map([
  ['prefix', 'target'],
  ['generation', 'generation'],
  ['hint', 'hint'],
])

test('a code has one meaning, and its fields do not repeat what every line contains', () => {
  const codes = [...errorCodes(), ...MESSAGES.map(({ code }) => code)]
  expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([])
  expect(codes.filter((code) => !/^[a-z]+(-[a-z]+)*$/.test(code))).toEqual([])
  const fields = MESSAGES.flatMap((message) => Object.entries(message.fields))
  expect(fields.filter(([name]) => IN_EVERY_LINE.includes(name))).toEqual([])
  expect(fields.filter(([name, word]) => (MEANT.get(word.replace('?', '')) ?? name) !== name)).toEqual([])
})
