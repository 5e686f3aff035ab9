import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Float } from '../src/float.ts'
import { readJson } from '../src/json/read-json.ts'
import { readJsonTree } from '../src/json/read-json-tree.ts'
import { sourceText } from '../src/text/located.ts'
import { plainOf } from '../src/text/plain-of.ts'

const DEEPEST = 220

function nested(levels: number, inner: string): string {
  return '['.repeat(levels) + inner + ']'.repeat(levels)
}

/** Indented as documents are. */
function printed(text: string): string {
  return `${JSON.stringify(JSON.parse(text), undefined, 2)}\n`
}

test.each([
  ['a key twice', '{\n  "a": 1,\n  "a": 2\n}\n'],
  ['a whole number that is not exact', '{\n  "a": 9007199254740992\n}\n'],
  ['the same in a list', '[\n  -9007199254740993\n]\n'],
  ['lists that are too deep', printed(nested(DEEPEST + 1, '1'))],
  ['lists that are too deep, the innermost of which is empty', printed(nested(DEEPEST + 1, ''))],
])('readJson() takes a second look at %s', (_, text) => {
  expect(readJson(sourceText(text, 'a.json')).diagnostics).not.toEqual([])
})

test.each([
  ['lists as deep as documents may be', printed(nested(DEEPEST, '1'))],
  [
    'hashes and exponents in texts',
    '{\n  "a": "1234567890123456",\n  "b": "1.5e+21",\n  "c": [\n    -0.5,\n    123456789012345\n  ]\n}\n',
  ],
])('readJson() accepts %s', (_, text) => {
  const { content, diagnostics } = readJson(sourceText(text, 'a.json'))
  expect(diagnostics).toEqual([])
  expect(content?.data).toEqual(JSON.parse(text))
})

test('readJson() leaves a number floating-point that was written with an exponent', () => {
  const { content } = readJson(sourceText('{\n  "a": 1.5e+21\n}\n', 'a.json'))
  expect(content?.data).toEqual({ a: new Float(1.5e21) })
})

test('readJson() reads what the reader with places reads, however the text is written', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const { content, problems } = readJsonTree(sourceText(text, 'a.json'), DEEPEST)
      const reading = readJson(sourceText(text, 'a.json'))
      const found = { problems: reading.diagnostics, data: problems.length === 0 ? reading.content?.data : undefined }
      expect(found).toEqual({ problems, data: problems.length === 0 ? plainOf(content?.data) : undefined })
    }),
    { numRuns: 1_000 },
  )
})

const anyKey = fc.constantFrom('a', 'b', '10', '9', '', '\\u0061', 'a\\"', 'ä')
const anyScalar = fc.constantFrom(
  '1',
  '1.0',
  '2e1',
  '1e+21',
  '9007199254740993',
  'true',
  'null',
  '"\\\\"',
  '"{\\"a\\""',
  '"a"',
)

/** Values, indented by two blanks as documents are. */
const { table } = fc.letrec<{ value: string; table: string; list: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, anyScalar, tie('table'), tie('list')),
  list: fc.array(tie('value'), { maxLength: 3 }).map((items) => within('[', items, ']')),
  table: fc.array(fc.tuple(anyKey, tie('value')), { maxLength: 4 }).map((members) =>
    within(
      '{',
      members.map(([key, value]) => `"${key}": ${value}`),
      '}',
    ),
  ),
}))
const anyText = table.chain((text) => fc.constantFrom(`${text}\n`, text, text.replaceAll(/\n */g, '')))

function within(open: string, members: readonly string[], close: string): string {
  if (members.length === 0) return open + close
  return `${open}\n${members.map((member) => `  ${member.replaceAll('\n', '\n  ')}`).join(',\n')}\n${close}`
}
