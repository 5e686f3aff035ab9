import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Data, Float, hasFloat, parseData, writeNix, writeTypeScript, writeYaml } from '../src/languages.ts'

const AWKWARD = [
  '',
  ' ',
  '-',
  '~',
  '<<',
  '1',
  '1.0',
  '0x1F',
  '.inf',
  'true',
  'No',
  'null',
  '__proto__',
  'constructor',
  'if',
  'or',
  'a: b',
  'a #b',
  '- a',
  '${a}',
  '$${a}',
  "''",
  '\\',
  '"',
  '---',
  '\uFEFF',
  '\u0085',
  '\u2028',
  'first\nsecond',
  'first\nsecond\n',
  'first\n\n  third\n',
  'first\n\n',
  'first\n \nthird',
  'first \n second ',
  ' first\nsecond',
  '\nsecond',
  '# first\n- second\n',
  'a\tb\r\nc',
  '🚢\n🚢',
]

const text = fc.oneof(
  fc.constantFrom(...AWKWARD),
  fc.string({ unit: fc.oneof(fc.constantFrom(...AWKWARD, '\n', ' ', "'", '$', '{'), fc.string({ unit: 'grapheme' })) }),
)
const number = fc.oneof(
  fc.maxSafeInteger().map((value) => value + 0),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Number.isInteger(value)),
  fc.constantFrom(5e-324, -5e-324, 1e-310, 1.5e-7, 123456789012345.67),
)
const float = fc.oneof(fc.constantFrom(0, 1, -1, 1e21, 1e300), fc.maxSafeInteger()).map((value) => new Float(value))

const { table } = fc.letrec<{ value: Data; table: ReadonlyMap<string, Data> }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    number,
    float,
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('table'),
  ),
  table: fc.array(fc.tuple(text, tie('value')), { maxLength: 4 }).map((entries) => new Map(entries)),
}))

test('what writeYaml() writes is read back equal', () => {
  fc.assert(
    fc.property(table.filter(isPrintable), (value) => {
      expect(sorted(parseData(writeYaml(value), { file: 'x', language: 'yaml' }).value)).toEqual(sorted(value))
    }),
    { numRuns: 1000 },
  )
})

test('what writeTypeScript() writes evaluates to an equal value', () => {
  fc.assert(
    fc.property(table, (value) => {
      const written = writeTypeScript(value)
      expect(sorted(asData(evaluated(written)))).toEqual(sorted(value))
      expect(hasFloat(value)).toBe(JSON.stringify(value, floatsAsMarks).includes('FLOAT'))
    }),
    { numRuns: 1000 },
  )
})

test.each([writeYaml, writeTypeScript, writeNix])('%o writes the same bytes whatever the order of tables', (write) => {
  fc.assert(
    fc.property(table, (value) => {
      expect(write(new Map([...value].toReversed()))).toBe(write(value))
    }),
  )
})

describe('writeYaml()', () => {
  test('writes several lines as such, and quotes what is no text', () => {
    const value = { script: 'cd $out\n\nmake\n', list: [{ b: 1, a: [] }, [true, 'yes']], empty: {}, '1': new Float(1) }
    expect(writeYaml(value)).toBe(
      [
        '"1": 1.0',
        'empty: {}',
        'list:',
        '  - a: []',
        '    b: 1',
        '  - - true',
        '    - "yes"',
        'script: |',
        '  cd $out',
        '',
        '  make',
        '',
      ].join('\n'),
    )
  })

  test('writes an empty table', () => {
    expect(writeYaml({})).toBe('{}\n')
    expect(writeYaml({ left: undefined })).toBe('{}\n')
  })
})

describe('writeNix()', () => {
  test.each([
    ['a "b" \\ ${c} $${d}\n\r\t', '"a \\"b\\" \\\\ \\${c} $\\${d}\\n\\r\\t"'],
    [-1, '-1'],
    [[-1, new Float(-1), 'a', true, null, [], {}], '[\n  (-1)\n  (-1.0)\n  "a"\n  true\n  null\n  [ ]\n  { }\n]'],
    [{ if: 1, 'a b': 2, a_b: 3 }, '{\n  "a b" = 2;\n  a_b = 3;\n  "if" = 1;\n}'],
    [1e-7, '1.0e-7'],
    [new Float(1e21), '1.0e21'],
    [5e-324, '(7.939328826636877e-264 / 1.6069380442589903e60)'],
  ])('writes %j', (value, expression) => {
    expect(writeNix(value)).toBe(expression)
  })

  test('writes other expressions for texts that need them', () => {
    const expressionOf = (path: string) => (path.startsWith('/') ? `builtins.storePath "${path}"` : undefined)
    expect(writeNix(['/a', 'b'], { expressionOf })).toBe('[\n  (builtins.storePath "/a")\n  "b"\n]')
  })
})

test('writeTypeScript() writes names that are no identifiers in quotes', () => {
  expect(writeTypeScript({ 'a-b': 1, class: ['x'], __proto__: undefined, c: new Float(2) })).toBe(
    '{\n  "a-b": 1,\n  c: float(2),\n  class: [\n    "x",\n  ],\n}',
  )
})

function evaluated(expression: string): unknown {
  // oxlint-disable-next-line no-implied-eval
  return (new Function('float', `return ${expression}`) as (float: unknown) => unknown)(
    (value: number) => new Float(value),
  )
}

function asData(value: unknown): Data {
  if (typeof value !== 'object' || value === null || value instanceof Float) return value as Data
  if (Array.isArray(value)) return value.map(asData)
  return new Map(Object.entries(value).map(([key, member]) => [key, asData(member)]))
}

function sorted(data: Data): Data {
  if (Array.isArray(data)) return data.map(sorted)
  if (!(data instanceof Map)) return data
  const entries = [...(data as ReadonlyMap<string, Data>)].map(([key, value]): [string, Data] => [key, sorted(value)])
  return new Map(entries.toSorted(([left], [right]) => (left < right ? -1 : 1)))
}

/** YAML has no escapes for halves of characters. */
function isPrintable(value: ReadonlyMap<string, Data>): boolean {
  return JSON.stringify(value, (_, part: unknown) => (part instanceof Map ? [...part] : part)).isWellFormed()
}

function floatsAsMarks(_: string, part: unknown): unknown {
  if (part instanceof Float) return 'FLOAT'
  return part instanceof Map ? [...part] : part
}
