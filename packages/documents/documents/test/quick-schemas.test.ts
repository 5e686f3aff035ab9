import * as fc from 'fast-check'
import * as v from 'valibot'
import { expect, test } from 'vitest'

import { accepting, list, object, table } from '../src/quick-schemas.ts'

const WORD = /^[a-c]+$/
const word = v.pipe(
  v.string(),
  v.regex(WORD, 'a word'),
  v.transform((text) => text),
)
const quickWord = accepting(word, (input) => typeof input === 'string' && WORD.test(input))

/** The same schema twice, the second time of valibot alone. */
const PAIRS: readonly (readonly [name: string, quick: v.GenericSchema, plain: v.GenericSchema])[] = [
  ['a value', quickWord, word],
  ['a list', list(quickWord), v.array(word)],
  ['a table', table(quickWord, quickWord), plainTable(word, word)],
  [
    'an object',
    object({ a: quickWord, b: v.exactOptional(quickWord), c: v.optional(list(quickWord), ['c']) }),
    v.object({ a: word, b: v.exactOptional(word), c: v.optional(v.array(word), ['c']) }),
  ],
  [
    'objects in lists in tables',
    table(quickWord, list(object({ a: quickWord, b: table(quickWord, list(quickWord)) }))),
    plainTable(word, v.array(v.object({ a: word, b: plainTable(word, v.array(word)) }))),
  ],
]

function plainTable(key: v.GenericSchema, value: v.GenericSchema): v.GenericSchema {
  return v.pipe(
    v.custom<object>(isPlain, 'expected a table'),
    v.transform((input) => {
      const members = input instanceof Map ? [...input] : Object.entries(input)
      return new Map(members.toSorted(([left], [right]) => (left < right ? -1 : 1)))
    }),
    v.map(key, value),
  )
}

function isPlain(input: unknown): boolean {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return false
  return input instanceof Map || [null, Object.prototype].includes(Object.getPrototypeOf(input))
}

const key = fc.constantFrom('a', 'b', 'c', 'ab', '', 'd', '__proto__', 'constructor')
const { input: inputs } = fc.letrec<{ input: unknown }>((tie) => ({
  input: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.constantFrom<unknown>('a', 'b', 'abc', '', 'd', 1, null, undefined, true, new Date(0)),
    fc.array(tie('input'), { maxLength: 3 }),
    fc.dictionary(key, tie('input'), { maxKeys: 4, noNullPrototype: false }),
    fc.array(fc.tuple(key, tie('input')), { maxLength: 3 }).map((members) => new Map(members)),
  ),
}))
const seen = { valid: 0, wrong: 0 }

test.each(PAIRS)('%s is read with the results, and the issues in the places, of valibot', (_, quick, plain) => {
  fc.assert(
    fc.property(inputs, (input) => {
      const [result, expected] = [quick, plain].map((schema) => resultOf(schema, input))
      expect(result).toEqual(expected)
      if (expected?.issues === undefined) seen.valid += 1
      else seen.wrong += 1
    }),
    { numRuns: 1_000 },
  )
})

test('both valid and wrong inputs were seen', () => {
  expect(Math.min(seen.valid, seen.wrong)).toBeGreaterThan(100)
})

function resultOf(schema: v.GenericSchema, input: unknown) {
  const { typed, output, issues } = v.safeParse(schema, structuredClone(input))
  return {
    output: typed ? output : undefined,
    order: output instanceof Map ? [...output.keys()] : undefined,
    issues: issues?.map(({ message, path }) => ({
      message,
      path: path?.map((step) => [step.type, step.origin, step.key]),
    })),
  }
}
