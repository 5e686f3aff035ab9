import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  Architecture,
  BuildModel,
  encodeDocument,
  type Format,
  Infrastructure,
  Manifest,
  parseDocument,
  ProfileManifest,
} from '../src/documents.ts'
import { parseData } from '@davit/languages'
import * as arbitrary from './arbitraries.ts'

test('a manifest that is written is read back equal', () => expectLaw(Manifest, arbitrary.manifest))
test('an infrastructure that is written is read back equal', () => expectLaw(Infrastructure, arbitrary.infrastructure))
test('a build model that is written is read back equal', () => expectLaw(BuildModel, arbitrary.buildModel))
test('an architecture that is written is read back equal', () => expectLaw(Architecture, arbitrary.architecture))

test('a profile manifest that is written is read back equal on its target', () => {
  fc.assert(
    fc.property(arbitrary.profileManifest, ({ target, value }) => expectRoundTrip(ProfileManifest.on(target), value)),
    { numRuns: 50 },
  )
})

test('encodeDocument() gives the same bytes whatever the order of tables', () => {
  fc.assert(
    fc.property(arbitrary.infrastructure, (value) => {
      const reversed = new Map([...value].toReversed())
      expect(encodeDocument(Infrastructure, reversed, 'xml')).toBe(encodeDocument(Infrastructure, value, 'xml'))
      expect(encodeDocument(Infrastructure, reversed, 'json')).toBe(encodeDocument(Infrastructure, value, 'json'))
    }),
  )
})

test('parseData() reads JSON as what JSON.parse makes of it, in both languages', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }).filter(isExact), (value) => {
      const text = JSON.stringify(value, null, 1)
      for (const language of ['json', 'yaml'] as const) {
        expect(plain(parseData(text, { file: 'x', language }).value)).toEqual(JSON.parse(text))
      }
    }),
  )
})

function expectLaw<Value>(format: Format<Value>, values: fc.Arbitrary<Value>): void {
  fc.assert(
    fc.property(values, (value) => expectRoundTrip(format, value)),
    { numRuns: 50 },
  )
}

function expectRoundTrip<Value>(format: Format<Value>, value: Value): void {
  for (const language of format.xml === undefined ? (['json'] as const) : (['xml', 'json'] as const)) {
    const text = encodeDocument(format, value, language)
    const read = parseDocument(format, text, { file: 'x' })
    expect(read).toEqual(value)
    expect(encodeDocument(format, read, language)).toBe(text)
    expect(text.endsWith('\n')).toBe(true)
  }
}

function plain(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(plain)
  return data instanceof Map ? Object.fromEntries([...data].map(([key, value]) => [key, plain(value)])) : data
}

/** Numbers without exponents, which make a Float, and without whole numbers that are refused. */
function isExact(value: unknown): boolean {
  return !/[eE]|\d{16}/.test(JSON.stringify(value).replaceAll(/"(?:[^"\\]|\\.)*"/g, '""'))
}
