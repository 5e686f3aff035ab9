import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isOrderly } from '../src/json/orderly-json.ts'
import { readJsonTree } from '../src/json/read-json-tree.ts'
import { sourceText } from '../src/text/located.ts'
import { plainOf } from '../src/text/plain-of.ts'

const DEEPEST = 220

test.each([
  ['an empty table', '{}', true],
  ['nothing but a list', '[]', true],
  ['keys of the root in any order', '{"b": 1, "a": 2}', true],
  ['a key of the root twice', '{"a": 1, "a": 2}', false],
  ['keys in order', '{"a": {"a": 1, "b": 2, "ba": 3}}', true],
  ['keys in another order', '{"a": {"b": 1, "a": 2}}', false],
  ['a key before a shorter one', '{"a": {"ab": 1, "a": 2}}', false],
  ['a key twice', '{"a": {"a": 1, "a": 2}}', false],
  ['a key twice, with a blank before the colon', '{"a": {"a" : 1, "a"\n: 2}}', false],
  ['the same key in two tables', '{"a": [{"a": 1}, {"a": 2}]}', true],
  ['a key after a table', '{"a": {"b": {"z": 1}, "c": 2}}', true],
  ['a key before a table, and twice', '{"a": {"b": 1, "c": {"z": 1}, "b": 2}}', false],
  ['a key with an escape', '{"a": {"\\u0062": 1}}', false],
  ['text with escapes', '{"a": ["\\\\", "\\"", "\\\\\\"", "x\\n", "\\\\x"], "b": "\\"b\\": "}', true],
  ['a table in a text', '{"a": {"a": "{\\"b\\": 1, \\"b\\": 2}", "c": "}"}}', true],
  ['a number in a text with quotes', '{"a": "\\" 1.5 \\""}', true],
  ['characters beyond ASCII', '{"a": {"ä": "€", "ö": 1}}', true],
  ['short numbers', '{"a": [0, -1, 123456789012345]}', true],
  ['a long number', '{"a": 1234567890123456}', false],
  ['a number with a fraction', '{"a": 1.0}', false],
  ['a number with an exponent', '{"a": 1e3}', false],
  ['tables as deep as documents may be', '{"a":'.repeat(DEEPEST) + '1' + '}'.repeat(DEEPEST), true],
  ['tables that are too deep', '{"a":'.repeat(DEEPEST + 1) + '1' + '}'.repeat(DEEPEST + 1), false],
])('isOrderly() of %s', (_, text, expected) => {
  expect(isOrderly(text, JSON.parse(text))).toBe(expected)
})

test('what isOrderly() accepts is what JSON.parse makes of it', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      fc.pre(isOrderly(text, JSON.parse(text)))
      const { content, problems } = readJsonTree(sourceText(text, 'a.json'), DEEPEST)
      expect(problems).toEqual([])
      expect(plainOf(content?.data)).toEqual(JSON.parse(text))
    }),
    { numRuns: 2_000 },
  )
})

const anyBlank = fc.constantFrom('', ' ', '\n  ')
const anyKey = fc.constantFrom('a', 'b', 'ba', 'c', '', '\\u0061', 'a\\"', 'ä')
const anyScalar = fc.constantFrom('1', '1.0', '2e1', '9007199254740993', 'true', 'null', '"\\\\"', '"{\\"a\\""', '"a"')

const { table: anyText } = fc.letrec<{ value: string; table: string; list: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, anyScalar, tie('table'), tie('list')),
  list: fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
  table: fc
    .array(fc.tuple(anyBlank, anyKey, anyBlank, tie('value')), { maxLength: 4 })
    .map(
      (members) => `{${members.map(([before, key, after, value]) => `${before}"${key}"${after}: ${value}`).join(',')}}`,
    ),
}))
