import * as fc from 'fast-check'
import { type Node, type ParseError, parseTree } from 'jsonc-parser'
import { expect, test } from 'vitest'
import { scanJson } from '../src/json/scan-json.ts'
import { type LocatedNode, sourceText } from '../src/text/located.ts'
import { plainOf } from '../src/text/plain-of.ts'

function scan(text: string, scalars: 'exact' | 'with-text' = 'exact') {
  const { root, errors } = scanJson({ source: sourceText(text, 'a.json'), scalars })
  return errors.length === 0 ? root : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Offsets of a value and its parts in a tree of nodes. */
function offsetsOf(node: Node, keyOffset?: number): LocatedNode {
  const { type, offset, children = [] } = node
  const at = { offset, ...(keyOffset === undefined ? {} : { keyOffset }) }
  if (type === 'array') return { ...at, children: new Map(children.map((item, index) => [index, offsetsOf(item)])) }
  if (type !== 'object') return at
  const members = children.flatMap(({ children: [key, value] = [] }): [string, LocatedNode][] =>
    key === undefined || value === undefined ? [] : [[String(key.value), offsetsOf(value, key.offset)]],
  )
  return { ...at, children: new Map(members) }
}

test('scanJson() reads what JSON.parse reads, from the places that a tree of nodes has, and nothing else', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const errors: ParseError[] = []
      const tree = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false })
      expect(scan(text)?.node).toEqual(errors.length === 0 ? tree && offsetsOf(tree) : undefined)
      expect(plainOf(scan(text, 'with-text')?.data)).toEqual(parsed(text))
    }),
    { numRuns: 2_000 },
  )
})

const { table } = fc.letrec<{ value: string; table: string; list: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('1', '-0.5', '12e1', 'true', 'false', 'null', '"a"', '""', '"\\\\"', '"\\u00e4\\""', '"{:"', '"ä"'),
    tie('table'),
    tie('list'),
  ),
  list: fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join()}]`),
  table: fc
    .array(fc.tuple(fc.constantFrom('a', 'b', '1', '', '\\u0061', 'a\\"'), tie('value')), { maxLength: 4 })
    .map((members) => `{${members.map(([key, value]) => `"${key}" :${value}`).join(' ,\n\t')}}`),
}))

/** Mostly with a slip: other characters for one. */
const anyText = fc
  .tuple(
    table,
    fc.nat(),
    fc.constantFrom(
      undefined,
      '',
      ' ',
      '"',
      '\\',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '0',
      '.',
      '-',
      'e',
      't',
      '\u0001',
      '/**/',
      '\u00A0',
    ),
  )
  .map(([text, place, slip]) => {
    const offset = place % text.length
    return slip === undefined ? text : text.slice(0, offset) + slip + text.slice(offset + 1)
  })

test.each(['1.10', '-0', '1E3', 'true', 'null'])('scanJson() keeps the text of %s on request', (text) => {
  expect(scan(` ${text}\n`, 'with-text')).toEqual({
    data: JSON.parse(text) as unknown,
    node: { offset: 1, written: text },
  })
})
