import { DavitError } from '@davit/diagnostics'
import { expect, test } from 'vitest'
import { Float, parseData } from '../src/languages.ts'

const yaml = (text: string) => parseData(text, { file: 'm.yaml', language: 'yaml' })
const json = (text: string) => parseData(text, { file: 'm.json', language: 'json' })

test.each([
  ['1', 1],
  ['-7', -7],
  ['0.5', 0.5],
  ['1.0', new Float(1)],
  ['true', true],
  ['null', null],
  ['"1.0"', '1.0'],
])('%s is the same in YAML and JSON', (text, value) => {
  expect(yaml(text).value).toEqual(value)
  expect(json(text).value).toEqual(value)
})

test.each([
  ['yes', 'yes'],
  ['on', 'on'],
  ['1.2.3', '1.2.3'],
  ['1_000', '1_000'],
  ['2026-11-21', '2026-11-21'],
  ['!!str 1.0', '1.0'],
  ['~', null],
  ['', null],
  ['|\n  a\n  b\n', 'a\nb\n'],
])('%j in YAML is what the core schema of YAML 1.2 says', (text, value) => {
  expect(yaml(text).value).toEqual(value)
})

test.each([
  '1.10',
  '1.00',
  '-0',
  '1e3',
  '1E+2',
  '9007199254740993',
  '12345678901234567890',
  '1e999',
  '0.1000000000000000055',
])('the number %s, which davit would write otherwise, is text in YAML and JSON', (text) => {
  for (const located of [yaml(text), json(text), yaml(`[${text}]`), json(`[${text}]`)]) {
    const isList = Array.isArray(located.value)
    expect(located.value).toEqual(isList ? [text] : text)
    expect(located.writtenAt(isList ? [0] : [])).toBe(text)
  }
})

test.each(['01443e5', '0123', '0x1F', '0o17', '.5', '5.', '+1', '.inf', '-.INF', '.nan'])(
  'the number %s of YAML is text',
  (text) => {
    expect(yaml(text).value).toBe(text)
    expect(yaml(text).writtenAt([])).toBe(text)
  },
)

test.each([
  ['True', true],
  ['FALSE', false],
  ['~', null],
  ['Null', null],
])('%s in YAML has a value, and keeps its text', (text, value) => {
  const located = yaml(`a: &x ${text}\nb: [*x]\n`)
  expect(located.value).toEqual(
    new Map<string, unknown>([
      ['a', value],
      ['b', [value]],
    ]),
  )
  expect([located.writtenAt(['a']), located.writtenAt(['b', 0])]).toEqual([text, text])
})

test.each(['1', '1.0', '0.5', 'true', 'null', '"1.10"', 'text'])('nothing is noted of %s', (text) => {
  const located = yaml(`a: ${text}\n`)
  expect(located.writtenAt(['a'])).toBeUndefined()
  expect([located.writtenAt([]), located.writtenAt(['b']), located.writtenAt(['a', 'b'])]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('keys are text as written, and names of JavaScript are names like any other', () => {
  const { value } = yaml('__proto__: 1\nconstructor: 2\n1.0: 3\ntrue: 4\n')
  expect([...(value as Map<string, unknown>)]).toEqual([
    ['__proto__', 1],
    ['constructor', 2],
    ['1.0', 3],
    ['true', 4],
  ])
  expect([...(json('{"__proto__": 1}').value as Map<string, unknown>)]).toEqual([['__proto__', 1]])
})

test('anchors, aliases and merge keys are followed', () => {
  const { value } = yaml(
    'base: &base {x: 1, y: 2}\nother: &other {y: 3, z: 4}\nall:\n  <<: [*base, *other]\n  x: 0\n"<<": 5\n',
  )
  const { all, ...rest } = Object.fromEntries(value as Map<string, unknown>)
  expect(all).toEqual(
    new Map([
      ['x', 0],
      ['y', 2],
      ['z', 4],
    ]),
  )
  expect(Object.keys(rest)).toEqual(['base', 'other', '<<'])
})

const SERVICES = `# services
database:
  type: process
web:
  type: echo
  dependsOn:
    - database
    - { service: cache }
`

test.each([
  [['web', 'type'], 5, 9, 5, 3],
  [['web', 'dependsOn'], 6, 3, 6, 3],
  [['web', 'dependsOn', 0], 7, 7, 7, 7],
  [['web', 'dependsOn', 1], 8, 7, 8, 7],
  [['web', 'dependsOn', 1, 'service'], 8, 18, 8, 9],
  [['web', 'pkg'], 4, 1, 4, 1],
  [[], 2, 1, 2, 1],
] as const)('places in YAML: %j', (path, line, column, keyLine, keyColumn) => {
  const { placeOf, placeOfKey } = yaml(SERVICES)
  expect(placeOf(path)).toMatchObject({ file: 'm.yaml', line, column, text: SERVICES.split('\n')[line - 1] })
  expect(placeOfKey(path)).toMatchObject({ line: keyLine, column: keyColumn })
})

test('places in JSON, with lines that end as on Windows', () => {
  const { placeOf, placeOfKey } = json(
    '{\r\n  "web": {\r\n    "type": "echo",\r\n    "targets": ["a", "b"]\r\n  }\r\n}',
  )
  expect(placeOf(['web', 'type'])).toEqual({ file: 'm.json', line: 3, column: 13, text: '    "type": "echo",' })
  expect(placeOfKey(['web', 'type'])).toMatchObject({ line: 3, column: 5 })
  expect(placeOf(['web', 'targets', 1])).toMatchObject({ line: 4, column: 22 })
  expect(placeOf(['web', 'targets'])).toMatchObject({ line: 4, column: 5 })
})

test('the value of an alias has the place of the alias', () => {
  const { placeOf } = yaml('a: &a { x: 1 }\nb: *a\nc:\n  <<: *a\n')
  expect(placeOf(['b', 'x'])).toMatchObject({ line: 2 })
  expect(placeOf(['c', 'x'])).toMatchObject({ line: 4 })
})

test('a byte order mark is not part of the text', () => {
  expect(yaml('\uFEFFa: 1').value).toEqual(new Map([['a', 1]]))
  expect(json('\uFEFF[]').value).toEqual([])
})

test.each([
  ['json', '['.repeat(100_000)],
  ['json', `${'['.repeat(201)}${']'.repeat(201)}`],
  ['json', '{"a":'.repeat(100_000)],
  ['yaml', `${'['.repeat(201)}${']'.repeat(201)}`],
  ['yaml', '['.repeat(30_000)],
  ['yaml', Array.from({ length: 400 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join('')],
] as const)('%s that nests too deeply is refused', (language, text) => {
  expect(() => parseData(text, { file: 'm', language })).toThrow(DavitError)
})

test('what nests 200 levels deep is read', () => {
  const text = `${'['.repeat(200)}${']'.repeat(200)}`
  expect(yaml(text).value).toEqual(json(text).value)
})
