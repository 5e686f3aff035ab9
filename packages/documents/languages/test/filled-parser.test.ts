import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type FilledText, filledParser, parseWritten, type Written, type WrittenReading } from '../src/languages.ts'
import { MAX_YAML_LENGTH } from '../src/text/limits.ts'
import { refill, withWords } from '../src/text/refill.ts'

type Language = 'yaml' | 'json'

/** Makes a text of one with a `§` for each word. */
function fill(form: string, words: readonly string[]): FilledText {
  const parts = form.split('§')
  let text = parts[0] ?? ''
  const slots = parts.slice(1).map((part, index) => {
    const start = text.length
    text += words[index] ?? ''
    const slot = { start, end: text.length }
    text += part
    return slot
  })
  return { text, slots }
}

const placing = { placeAt: (offset: number) => ({ file: 'template', line: offset, column: 1 }) }

/** All that a reading tells, places included. */
function shown(reading: WrittenReading): unknown {
  return reading.kind === 'invalid' ? reading.problems : shownValue(reading.root)
}

function shownValue(written: Written): unknown {
  const { kind, offset, keyOffset, source } = written
  const places = [offset, keyOffset, source.placeAt(offset)]
  if (written.kind === 'scalar') return { kind, places, value: written.value, text: written.text }
  const parts = written.kind === 'list' ? written.items.entries() : written.members
  return { kind, places, parts: [...parts].map(([step, part]) => [step, shownValue(part)]) }
}

/** Reads a form with some words, and refills it with others; undefined if that is refused. */
function refilled(form: string, language: Language, [from, to]: readonly [readonly string[], readonly string[]]) {
  const before = fill(form, from)
  const reading = parseWritten(before.text, { file: 'Mu', language })
  if (reading.kind === 'invalid') return 'invalid'
  const root = refill({ ...before, root: reading.root }, fill(form, to), placing)
  return root && shown({ kind: 'read', root })
}

function parsed(form: string, language: Language, words: readonly string[]): unknown {
  return shown(parseWritten(fill(form, words).text, { file: 'Mu', language, placing }))
}

const WORDS = [
  ['one', 'two', 'three'],
  ['a longer one', '1', 'null'],
] as const

test.each<[string, Language, string]>([
  ['double quotes', 'yaml', 'a: "§"\nb: [1, "x§y"]\nc: 2'],
  ['single quotes', 'yaml', "a: '§'\nb: { c: '§' }\n"],
  ['several words in one value', 'yaml', 'a: "§/§§.x" # end\nb: 1'],
  ['a tag', 'yaml', 'a: !!str "§"'],
  ['the whole text', 'yaml', '"§"'],
  ['quotes in other values', 'yaml', 'a: "§"\nb: "\\"x\\""\nc: \'\'\nd: |\n  "x"\n'],
  ['JSON', 'json', '{ "a": "§", "b": ["§", 1], "c": null }'],
])('refill() gives what the parser gives: %s', (_, language, form) => {
  expect(refilled(form, language, WORDS)).toEqual(parsed(form, language, WORDS[1]))
})

test.each([
  ['no quotes', 'a: §'],
  ['quotes within other text', 'a: b "§"'],
  ['a block of text', 'a: |\n  "§"'],
  ['a key', '"§": 1'],
  ['a key beside a value', '"§": "§"'],
  ['a comment', '# "§"\na: 1'],
  ['an escape', 'a: "\\"§"'],
  ['a line that goes on', 'a: "§\n  b"'],
  ['a quote in quotes', "a: '''§'"],
  ['an alias', 'a: &x "§"\nb: *x'],
  ['an alias of a table', 'a: &x { c: "§" }\nb: { <<: *x }'],
  ['what another value replaces', 'a: { <<: { b: "§" }, b: "§" }'],
])('refill() leaves to the parser: %s', (_, form) => {
  expect(refilled(form, 'yaml', WORDS)).toBeUndefined()
})

test('withWords() leaves nothing that could end quotes or mean more', () => {
  const slots = (word: string) => withWords(fill('a: "§"', [word])).slots.length
  expect(
    ['a/b.c:1 @x-_', 'é', '"', "'", '\\', '\n', ',', '[', '{', '\u{85}', '\0'].filter((word) => slots(word) > 0),
  ).toEqual(['a/b.c:1 @x-_'])
})

const contexts = fc.constantFrom(
  '"§"',
  '§',
  "'§'",
  '"x § y§"',
  '[1, "§"]',
  '{ "§": 1 }',
  '{ k: \'§\', l: "§" }',
  '&x "§"',
  '*x',
  '|\n  "§"',
  '"\\t§"',
  '2',
)
const forms = fc
  .array(contexts, { minLength: 1, maxLength: 4 })
  .map((values) => values.map((value, index) => `k${index}: ${value}`).join('\n'))
const words = fc.array(fc.oneof(fc.stringMatching(/^[\w ./:@-]{1,4}$/), fc.string({ maxLength: 2 })), {
  minLength: 12,
  maxLength: 12,
})

test('filledParser() gives what parseWritten() gives', () => {
  fc.assert(
    fc.property(forms, fc.array(words, { minLength: 2, maxLength: 3 }), (form, expansions) => {
      const parse = filledParser({ file: 'Mu', language: 'yaml' })
      for (const each of expansions) expect(shown(parse(fill(form, each), placing))).toEqual(parsed(form, 'yaml', each))
    }),
    { numRuns: 50 },
  )
})

test.each<[string, FilledText]>([
  ['more slots', { text: 'a: "\0"', slots: [] }],
  ['a text that is too large', fill('a: "§"', ['x'.repeat(MAX_YAML_LENGTH)])],
])('filledParser() refuses what parseWritten() refuses: %s', (_, filled) => {
  const parse = filledParser({ file: 'Mu', language: 'yaml' })
  expect(parse(fill('a: "§"', ['b']), placing).kind).toBe('read')
  expect(shown(parse(filled, placing))).toEqual(
    shown(parseWritten(filled.text, { file: 'Mu', language: 'yaml', placing })),
  )
})
