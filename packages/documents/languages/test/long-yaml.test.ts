import * as fc from 'fast-check'
import { DavitError } from '@davit/diagnostics'
import { expect, test } from 'vitest'
import { parseData } from '../src/languages.ts'
import { piecesOf } from '../src/yaml/pieces-of.ts'

const PADDING = `# ${'x'.repeat(6000)}\n`

const VALUES = [
  ' 1',
  ' text, with [brackets',
  " 'quoted\n  twice'",
  ' "a\n\n  b"',
  ' |\n  a: 1\n\n  b\n',
  ' |+\n  kept\n\n',
  ' >-\n  folded\n  text\n# a comment\n',
  '\n- a\n- b: 1\n',
  '\n  - { x: [1, 2] }\n  -\n    y: ~',
  '\n  inner:\n    "k": &anchor {z: 1.0}\n',
  ' *anchor',
  ' &anchor [1, two, 3]',
  ' "not closed',
  ' [1, 2',
  '\n\tindented: 1',
  ' !unknown x',
  '\n <<: {a: 1}',
  '',
]

const entries = fc.array(
  fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd_1', 'e.f', 'null'), value: fc.constantFrom(...VALUES) }),
  { minLength: 1, maxLength: 12 },
)

/** Data with places; what is refused is read as a whole in any case. */
function readingOf(text: string) {
  try {
    const { value, placeOf, placeOfKey } = parseData(text, { file: 'm.yaml', language: 'yaml' })
    const keys = value instanceof Map ? [...(value as ReadonlyMap<string, unknown>).keys()] : []
    const paths = [[], ...keys.flatMap((key) => [[key], [key, 'inner', 'k', 'z'], [key, 0], [key, 1, 'b']])]
    return { value, places: paths.map((path) => [placeOf(path), placeOfKey(path)]) }
  } catch (error) {
    if (error instanceof DavitError) return 'refused'
    throw error
  }
}

test('a long text is read like one that is read as a whole', () => {
  fc.assert(
    fc.property(entries, fc.boolean(), (members, isUnique) => {
      const text = members
        .map(({ key, value }, index) => `${PADDING}${isUnique ? `${key}${index}` : key}:${value}\n`)
        .join('')
      // Such a line at the margin lets nobody cut the text.
      expect(piecesOf(`${text}...\n`)).toBeUndefined()
      expect(readingOf(text)).toEqual(readingOf(`${text}...\n`))
    }),
    { numRuns: 300 },
  )
})

test('a long text is cut before keys at its margin only', () => {
  const text = `${PADDING.repeat(3)}a:\n${PADDING.repeat(3)}- x\n  b: 1\nc: 1\nd:\n${PADDING.repeat(3)}\ne: 1`
  const pieces = piecesOf(text)?.map(({ start, end }) => text.slice(start, end).replaceAll(PADDING, ''))
  expect(pieces).toEqual(['', 'a:\n- x\n  b: 1\n', 'c: 1\nd:\n\n', 'e: 1'])
})

test.each(['---\n', '%YAML 1.2\n', '"a": 1\n', '? a\n', '<<: {}\n', '\ta\n', '{}\n', '- \n---\n', '\ufeffa: 1\n'])(
  'a long text with %j at its margin is not cut',
  (line) => {
    expect(piecesOf(`${line}${PADDING.repeat(3)}a: 1\n`)).toBeUndefined()
  },
)
