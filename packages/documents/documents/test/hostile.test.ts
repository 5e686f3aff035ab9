import { type DavitError, type Place, renderDiagnostic } from '@davit/diagnostics'
import { failureOf } from '@davit/diagnostics/testing'
import { patience, runs, tellFigure } from '@davit/testing/effort'
import { awkwardText, mutationsOf } from '@davit/testing/hostile'
import * as fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import {
  Architecture,
  DeploymentModel,
  encodeDocument,
  type Format,
  Infrastructure,
  Manifest,
  parseDocument,
  parseProfileName,
  PartialInfrastructure,
  validateDocument,
} from '../src/documents.ts'
import { parseData } from '@davit/languages'
import { fixturesIn, formatOf, readFixture } from './documents.ts'

let inputs = 0
afterAll(() => tellFigure(`documents: ${inputs} hostile inputs, each a value or a DavitError that says where`))

/** Expects that a reader returns a value, or reports problems of limited length with places in the text. */
function expectAnswer(text: string, read: () => unknown): void {
  inputs += 1
  expect(complaintsAbout(failureOf(read), text)).toEqual([])
}

function complaintsAbout(error: DavitError | undefined, text: string): readonly string[] {
  if (error === undefined) return []
  const { exitStatus, diagnostics, message } = error
  const says = diagnostics.length > 0 || /is empty$|contains itself$|keys must be text$/.test(message)
  return [
    ...([65, 66].includes(exitStatus) ? [] : [`exit status ${exitStatus}`]),
    ...(says ? [] : ['says nothing']),
    ...(diagnostics.length > 101 ? ['says too much'] : []),
    ...diagnostics.map(renderDiagnostic).filter((line) => line.length > 8_000),
    ...diagnostics.flatMap(({ place }) => (isPlace(place, text) ? [] : [JSON.stringify(place)])),
  ]
}

/** Problems of the text as a whole have places without a line. */
function isPlace(place: Place | undefined, text: string): boolean {
  if (place?.line === undefined) return true
  const lines = text.replace(/^\ufeff/, '').split('\n')
  const line = lines[place.line - 1]?.replace(/\r$/, '')
  const { column = 0 } = place
  return line !== undefined && place.text === line && column > 0 && column <= line.length + 2
}

const VALID = [
  ...fixturesIn('valid').map((file) => `valid/${file}`),
  ...fixturesIn('cases').map((file) => `cases/${file}`),
]
const TEXTS = new Map(VALID.map((file) => [file, readFixture(file)]))
const MODELS = fixturesIn('invalid').filter((file) => file.endsWith('.yaml') && !/bomb/.test(file))
const YAML = [
  'a: &a { x: 1 }\nb:\n  <<: *a\n  c: [*a, "text", 1.5, true, ~]\nd: |\n  block\n   more\ne: >-\n  folded\n"f": \'g\'\n',
  ...MODELS.map((file) => readFixture(`invalid/${file}`)),
]
const JSONS = [...TEXTS].flatMap(([file, text]) => (file.endsWith('.json') ? [text] : []))

describe('fuzzing', patience, () => {
  test.each([...TEXTS])('parseDocument() of %s, mutated', (file, text) => {
    const format = formatOf(file.replace(/^\w+\//, '')) ?? Manifest
    fc.assert(
      fc.property(mutationsOf([text]), (mutant) =>
        expectAnswer(mutant, () => parseDocument(format, mutant, { file: 'f' })),
      ),
      runs(60),
    )
  })

  test.each<Format<unknown>>([Architecture, DeploymentModel, Infrastructure, Manifest])(
    'parseDocument() of anything as $name',
    (format) => {
      const text = fc
        .tuple(fc.constantFrom('', '<', '{', `<${format.name} version="2">`), awkwardText)
        .map((parts) => parts.join(''))
      fc.assert(
        fc.property(text, (any) => expectAnswer(any, () => parseDocument(format, any, { file: 'f' }))),
        runs(100),
      )
    },
  )

  test.each(['yaml', 'json'] as const)('parseData() of %s, mutated, and of anything', (language) => {
    const texts = fc.oneof(mutationsOf(language === 'yaml' ? YAML : JSONS), awkwardText)
    fc.assert(
      fc.property(texts, (text) => expectAnswer(text, () => parseData(text, { file: 'f', language }))),
      runs(400),
    )
  })

  test('validateDocument() of any value', () => {
    const anything = fc.anything({
      withMap: true,
      withNullPrototype: true,
      withBigInt: true,
      withDate: true,
      maxDepth: 4,
    })
    const sections = fc.record(
      { profiles: anything, services: anything, infrastructure: anything, serviceMappings: anything, store: anything },
      { requiredKeys: [] },
    )
    for (const format of [DeploymentModel, PartialInfrastructure, Manifest]) {
      fc.assert(
        fc.property(fc.oneof(anything, sections), (value) =>
          expectAnswer('', () => validateDocument<unknown>(format, value, { file: 'f' })),
        ),
        runs(100),
      )
    }
  })
})

const MANY = 4_000
const lines = (line: (index: number) => string): string =>
  Array.from({ length: MANY }, (_, index) => line(index)).join('')

/** Each would take minutes if the cost were not linear. */
describe('cost', () => {
  test.each([
    ['a tag without end', `<${'a'.repeat(300_000)}`, 'the text ends inside a tag'],
    ['a tag of blanks', `<a${' '.repeat(300_000)}`, 'the text ends inside a tag'],
    ['a tag of quotes', `<a ${'"\''.repeat(100_000)}>`, 'the tag is not well-formed'],
    ['comments in comments', `<a>${'<!--'.repeat(100_000)}`, 'the comment is not closed'],
    ['ampersands', `<a>${'&'.repeat(300_000)}</a>`, "'&' must be written &amp;"],
    ['end tags', '</a>'.repeat(100_000), 'no element is open'],
    ['elements 100,000 levels deep', '<a>'.repeat(100_000), 'nested more than 220 levels deep'],
    ['braces', `{${'}{'.repeat(100_000)}`, 'expected'],
    ['objects 100,000 levels deep', '{"a":'.repeat(100_000), 'nested more than 220 levels deep'],
    ['a number of 1,000,000 digits', `{"a":${'1'.repeat(1_000_000)}}`, '1111… is out of range'],
    ['spaces after a quote', `{"a"${' '.repeat(1_000_000)}`, "expected ':'"],
    ['backslashes', `{"${'\\'.repeat(1_000_000)}": 1`, "expected '}'"],
    [
      'problems on one line',
      `{"document":"manifest","version":2,"profiles":{${lines((index) => `"t${index}":1,`)}"t":1}}`,
      'expected text, but got 1',
    ],
    [
      'long names that are nearly the same',
      `{"document":"infrastructure","version":2,"infrastructure":{"a":{"properties":{"${'x'.repeat(100_000)}y":1},"system":"s","clientInterface":"ssh","targetProperty":"${'x'.repeat(100_000)}z"}}}`,
      'has no property',
    ],
  ])('parseDocument() refuses %s', (_, text, message) => {
    const format = text.includes('infrastructure') ? Infrastructure : Manifest
    expect(problemsOf(() => parseDocument<unknown>(format, text, { file: 'f' }))).toContain(message)
  })

  test.each([
    ['aliases of what was never there', lines((index) => `a${index}: *a\n`), "no anchor '&a'"],
    ['brackets', '[]'.repeat(MANY), 'unexpected'],
    ['lists 40,000 levels deep', '['.repeat(40_000), 'nested too deeply'],
    ['lists of lists, 40,000 levels deep', '- '.repeat(40_000), 'nested too deeply'],
    ['as many lines', '\n'.repeat(1_000_001), 'too large for YAML: more than 1000000 lines and values'],
    ['as many characters', 'x'.repeat(16 * 1024 * 1024 + 1), 'too large for YAML: more than 16777216 characters'],
  ])('parseData() refuses %s in YAML', (_, text, message) => {
    expect(problemsOf(() => parseData(text, { file: 'f', language: 'yaml' }))).toContain(message)
  })

  test('parseData() reads many anchors, aliases and merge keys', () => {
    const text = `x: &x { a: 1 }\n${lines((index) => `k${index}: &k${index} { <<: *x }\n`)}z: *k7\n`
    const { value } = parseData(text, { file: 'f', language: 'yaml' })
    expect((value as ReadonlyMap<string, unknown>).get('z')).toEqual(new Map([['a', 1]]))
  })

  test('parseDocument() refuses more elements than fit into memory', () => {
    const text = `<infrastructure version="2">${'<x/>'.repeat(2_000_000)}</infrastructure>`
    expect(problemsOf(() => parseDocument(Infrastructure, text, { file: 'f' }))).toContain('more than 2000000 elements')
  })
})

test('parseData() takes an alias for the last anchor before it, wherever it is used again', () => {
  const { value } = parseData('a: &x 1\nb: &y [*x]\nc: &x 2\nd: [*x, *y]\n', { file: 'f', language: 'yaml' })
  expect((value as ReadonlyMap<string, unknown>).get('d')).toEqual([2, [1]])
})

describe('names', () => {
  const HASH = '0'.repeat(32)
  const manifestOf = (name: string) => {
    const key = JSON.stringify(name)
    const mapping = `{ "service": ${key}, "target": ${key}, "container": ${key} }`
    const service = `{ "name": ${key}, "type": ${key}, "pkg": "/nix/store/${HASH}-x", "dependsOn": [${mapping}] }`
    const target = `{ "properties": { "hostname": "h", ${key}: ${key} }, "containers": { ${key}: { ${key}: ${key} } }, "system": ${key}, "clientInterface": "ssh", "targetProperty": "hostname" }`
    return `{ "document": "manifest", "version": 2, "profiles": { ${key}: "/nix/store/${HASH}-p" }, "services": { ${key}: ${service} },
      "infrastructure": { ${key}: ${target} }, "serviceMappings": [${mapping}], "snapshotMappings": [] }`
  }

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'a'.repeat(200)])(
    '%s is a name, everywhere',
    (name) => {
      const manifest = parseDocument(Manifest, manifestOf(name), { file: 'm' })
      for (const language of ['json', 'xml'] as const) {
        const text = encodeDocument(Manifest, manifest, language)
        expect(parseDocument(Manifest, text, { file: 'm' })).toEqual(manifest)
      }
      const [target] = manifest.infrastructure.values()
      expect([...manifest.infrastructure.keys()]).toEqual([name])
      expect(target?.containers.get(name as never)).toEqual(new Map([[name, name]]))
      expect(parseProfileName(name)).toBe(name)
    },
  )

  const NOT_NAMES = [
    '',
    '-x',
    '.x',
    'a b',
    'a\n',
    'a/b',
    '../a',
    '$(touch x)',
    '\u00e4',
    'a'.repeat(201),
    'a'.repeat(100_000),
  ]

  test.each(NOT_NAMES.map((name) => ({ name, shown: JSON.stringify(name.slice(0, 12)), length: name.length })))(
    '$shown ($length characters) is none, wherever it stands',
    ({ name }) => {
      const { length } =
        problemsOf(() => parseDocument(Manifest, manifestOf(name), { file: 'm' })).match(
          /^m:.* name must | system must | type must | service key must /gm,
        ) ?? []
      expect(length).toBe(13)
      expect(() => parseProfileName(name)).toThrow(/^'.{0,70}' is not a valid name for a deployment/s)
    },
  )
})

function problemsOf(read: () => unknown): string {
  return failureOf(read)?.diagnostics.map(renderDiagnostic).join('\n') ?? 'nothing was refused'
}
