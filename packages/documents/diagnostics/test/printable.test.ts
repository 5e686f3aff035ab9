import { describe, expect, test } from 'vitest'

import { FORGERIES, forgeriesIn } from '@davit/testing/hostile'
import {
  messageLines,
  nameLines,
  nameText,
  printable,
  printableLine,
  printableLines,
  quoted,
  renderDiagnostic,
  withMargins,
} from '../src/diagnostics.ts'

test.each([
  ['plain text, Ünïcode 😀', 'plain text, Ünïcode 😀'],
  ['line\nand\ttab', 'line\nand\ttab'],
  ['\u001b[31mred\u0007', '\\u001b[31mred\\u0007'],
  ['a\rb', 'a\\u000db'],
  ['\u009b\u007f', '\\u009b\\u007f'],
  ['\ufeffhalf \ud83d, 😀', '\\ufeffhalf \\ud83d, 😀'],
  ['left\u202eright\u2066', 'left\\u202eright\\u2066'],
])('printable(%j)', (text, shown) => {
  expect(printable(text)).toBe(shown)
})

describe.each(FORGERIES)('%j', (text) => {
  test('stays within its line', () => {
    expect(forgeriesIn(printableLine(text), 'x')).toEqual([])
    expect(forgeriesIn(printableLines([text, text]), 'x\nx\n')).toEqual([])
    expect(forgeriesIn(printableLine(quoted(text)), 'x')).toEqual([])
    expect(messageLines(quoted(text))).toHaveLength(1)
    expect(forgeriesIn(nameText(text), 'x')).toEqual([])
    expect(nameText(text)).toMatch(/^"[^"]*(?:\\"[^"]*)*"$/)
    expect(nameLines(['a', text, 'b'])).toBe('a\nb\n')
  })

  test('makes no line in a message that could be one of davit', () => {
    const [first = '', ...rest] = messageLines(text)
    expect(forgeriesIn([first, ...rest].join(' '), 'x')).toEqual([])
    for (const line of rest) expect(line).toMatch(/^(?: {4}| {2}\| )/)
    const place = { file: text, line: 1, column: 1, text }
    const shown = renderDiagnostic({ severity: 'error', message: 'm', place, hint: text, path: [text] })
    expect(forgeriesIn(shown, 'place\nsource\nmark\nhint')).toEqual([])
  })
})

test.each([
  ['port', 'port'],
  ['größe', 'größe'],
  ['a.b-c_d+e@f1', 'a.b-c_d+e@f1'],
  ['', '""'],
  [' port', '" port"'],
  ['port ', '"port "'],
  ['a b', '"a b"'],
  ['a\u00a0b\u3000', '"a\\u00a0b\\u3000"'],
  ['x added: "1"', String.raw`"x added: \"1\""`],
  ['a/b', '"a/b"'],
  ['-', '"-"'],
  ['a\\n', String.raw`"a\\n"`],
  ['a\n', String.raw`"a\n"`],
])('nameText(%j)', (name, shown) => {
  expect(nameText(name)).toBe(shown)
})

test('what a program has said stays lines below a message', () => {
  const said = 'cannot build: one\n  | two\n    three\nfour'
  expect(messageLines(said)).toEqual(['cannot build: one', '  | two', String.raw`    three\nfour`])
  expect(messageLines(withMargins(said))).toEqual(['cannot build: one', '  | two', '    three', '    four'])
})
