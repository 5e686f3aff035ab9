import { expect, test } from 'vitest'
import { parseWritten, type Written, type WrittenReading } from '../src/languages.ts'

function plain(written: Written): unknown {
  if (written.kind === 'list') return written.items.map(plain)
  if (written.kind === 'table')
    return Object.fromEntries([...written.members].map(([key, value]) => [key, plain(value)]))
  return [written.value, written.text]
}

function rootOf(reading: WrittenReading): ReadonlyMap<string, Written> {
  return reading.kind === 'read' && reading.root.kind === 'table' ? reading.root.members : new Map()
}

function read(text: string, language: 'yaml' | 'json' = 'yaml') {
  const reading = parseWritten(text, { file: 'Mu.yaml', language })
  return reading.kind === 'read' ? plain(reading.root) : reading.problems.map(({ message }) => message)
}

test.each<[string, string, unknown]>([
  ['a number keeps its text', 'v: 1.10', { v: [1.1, '1.10'] }],
  ['a number that is not exact keeps its text', `v: ${'1'.repeat(40)}`, { v: [1.1111111111111112e39, '1'.repeat(40)] }],
  ['text in quotes', 'v: "1.10"', { v: ['1.10', '1.10'] }],
  ['truth values and null', 'a: true\nb: ~\nc: no', { a: [true, 'true'], b: [null, '~'], c: ['no', 'no'] }],
  [
    'keys are what is written',
    '1.10: 1\nn: 2\non: 3\nnull: 4\n~: 5',
    {
      '1.10': [1, '1'],
      n: [2, '2'],
      on: [3, '3'],
      null: [4, '4'],
      '~': [5, '5'],
    },
  ],
  ['aliases', 'a: &x [1.0]\nb: *x', { a: [[1, '1.0']], b: [[1, '1.0']] }],
  ['an empty text', ' \n', [null, 'null']],
  ['only a comment', '# nothing', [null, 'null']],
  ['a number beyond all bounds', 'v: 1e999', ['1e999 is out of range']],
  ['a key that occurs twice', 'a: 1\na: 2', ["key 'a' occurs twice"]],
])('parseWritten() of YAML: %s', (_, text, expected) => {
  expect(read(text)).toEqual(expected)
})

test.each<[string, string, unknown]>([
  [
    'a number keeps its text',
    '{ "v": 1.10, "w": true, "x": null, "y": "1" }',
    {
      v: [1.1, '1.10'],
      w: [true, 'true'],
      x: [null, 'null'],
      y: ['1', '1'],
    },
  ],
  ['an empty text', '', [null, 'null']],
  ['a number beyond all bounds', '[1e999]', ['1e999 is out of range']],
])('parseWritten() of JSON: %s', (_, text, expected) => {
  expect(read(text, 'json')).toEqual(expected)
})

test('__proto__ is a key like any other', () => {
  const reading = parseWritten('__proto__: { constructor: 1 }', { file: 'm', language: 'yaml' })
  expect([...rootOf(reading).keys()]).toEqual(['__proto__'])
})

test('values and problems are placed by the given function', () => {
  const placing = { placeAt: (offset: number) => ({ file: 'source', line: offset, column: 1 }) }
  const reading = parseWritten('a: [b]', { file: 'm', language: 'yaml', placing })
  const list = rootOf(reading).get('a')
  expect([list?.keyOffset, list?.offset]).toEqual([0, 3])
  expect(list?.source.placeAt(3)).toEqual({ file: 'source', line: 3, column: 1 })
  expect(parseWritten('a: [b', { file: 'm', language: 'yaml', placing })).toMatchObject({
    kind: 'invalid',
    problems: [{ place: { file: 'source' } }],
  })
})
