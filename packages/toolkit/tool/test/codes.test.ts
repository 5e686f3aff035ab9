import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { errorCodes, messageCodes } from '../../../../scripts/codes.ts'
import { ROOT } from '../../../../scripts/executables.ts'

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** The rows of the table in a section of docs/errors.md, by their codes. */
function rowsOf(section: string): ReadonlyMap<string, readonly string[]> {
  const text = read('docs/errors.md').split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? ''
  const rows = [...text.matchAll(/^\| `([^`]*)` \|(.*)\|$/gm)]
  return new Map(rows.map(([, code = '', rest = '']) => [code, rest.split(' | ').map((cell) => cell.trim())]))
}

const codesOf = (section: string) => [...rowsOf(section).keys()]

test('each code of an error has a row in docs/errors.md, and each row a code', () => {
  expect(codesOf('Errors')).toEqual(errorCodes())
  expect(errorCodes()).toContain('rolled-back')
  expect(errorCodes()).toContain('bad-record')
})

test.each([
  ['Warnings', ['warning']],
  ['Notes', ['note', 'detail']],
])('each code of the kind has a row under %s, with its fields, and each row a code', async (section, kinds) => {
  const codes = (await messageCodes()).filter(({ kind }) => kinds.includes(kind))
  const rows = rowsOf(section)
  expect([...rows.keys()]).toEqual(codes.map(({ code }) => code))
  const told = codes.map(({ code }) => [code, namesIn(rows.get(code)?.[0] ?? '')])
  expect(told).toEqual(codes.map(({ code, fields }) => [code, Object.keys(fields).filter(isTold)]))
})

/** A hint may be absent. */
const isTold = (name: string) => name !== 'hint'

function namesIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]*)`/g)].map(([, name = '']) => name).filter(isTold)
}

test('each row says something, in sentences', () => {
  const sections = ['Errors', 'Warnings', 'Notes'].map(rowsOf)
  const rows = sections.flatMap((section) => [...section].map(([code, cells]) => `${code}: ${cells.at(-1)}`))
  expect(rows.filter((row) => !/: [A-Z`d].{20,}\.$/.test(row))).toEqual([])
})

const IN_EVERY_LINE = ['time', 'kind', 'tool', 'code', 'message', 'severity', 'place', 'path', 'fields']
const MEANT = new Map([
  ['prefix', 'target'],
  ['generation', 'generation'],
  ['hint', 'hint'],
])

test('a code means one thing, and says with its fields nothing that every line says', async () => {
  const spoken = await messageCodes()
  const codes = [...errorCodes(), ...spoken.map(({ code }) => code)]
  expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([])
  expect(codes.filter((code) => !/^[a-z]+(-[a-z]+)*$/.test(code))).toEqual([])
  const fields = spoken.flatMap((message) => Object.entries(message.fields))
  expect(fields.filter(([name]) => IN_EVERY_LINE.includes(name))).toEqual([])
  expect(fields.filter(([name, word]) => (MEANT.get(word.replace('?', '')) ?? name) !== name)).toEqual([])
})
