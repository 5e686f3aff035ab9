import { expect, test } from 'vitest'
import { asDiagnostic, atPath, messages, renderDiagnostic, renderPath, warning } from '../src/diagnostics.ts'

const place = { file: 'services.yaml', line: 12, column: 5, text: '  a: [databse]' }

const say = messages({ odd: warning({ name: 'text' }, () => 'odd', 'look') })

test('a warning about a place keeps its code, its fields and its hint', () => {
  expect(asDiagnostic(say('odd', { name: 'web' }), { path: ['web'] })).toEqual({
    severity: 'warning',
    code: 'odd',
    message: 'odd',
    fields: { name: 'web' },
    path: ['web'],
    hint: 'look',
  })
})

test.each<[string, Parameters<typeof renderDiagnostic>[0], string]>([
  [
    'place, line, mark and hint',
    { severity: 'error', message: "there is no service 'databse'", place, hint: "did you mean 'database'?" },
    "services.yaml:12:5: error: there is no service 'databse'\n    a: [databse]\n      ^\n  hint: did you mean 'database'?",
  ],
  ['a file alone', { severity: 'warning', message: 'odd', place: { file: 'm.xml' } }, 'm.xml: warning: odd'],
  ['a line without column', { severity: 'error', message: 'bad', place: { file: 'm', line: 3 } }, 'm:3: error: bad'],
  [
    'a path where there is no line',
    { severity: 'error', message: 'bad', place: { file: 'm.ts' }, path: ['web', 'targets', 0] },
    'm.ts: web.targets[0]: error: bad',
  ],
  [
    'the code of a finding that has its own',
    {
      severity: 'error',
      code: 'MU509',
      subjects: ['web'],
      message: 'bad',
      place: { file: 'Mu.yaml', line: 7, column: 5 },
    },
    'Mu.yaml:7:5: error: MU509: bad',
  ],
  ['nothing at all', { severity: 'error', message: 'bad' }, 'error: bad'],
])('renderDiagnostic() shows %s', (_, diagnostic, text) => {
  expect(renderDiagnostic(diagnostic)).toBe(text)
})

test.each([
  ['a tab counts as one column', '\tx: 1', 2, '   x: 1\n   ^'],
  [
    'control characters are made visible, and the mark stays below its character',
    'a\u001bb!',
    4,
    '  a\\u001bb!\n          ^',
  ],
  [
    'a long line is cut around the column',
    `${'a'.repeat(500)}!${'b'.repeat(500)}`,
    501,
    `  ${'a'.repeat(80)}!${'b'.repeat(79)}\n  ${' '.repeat(80)}^`,
  ],
])('renderDiagnostic(): %s', (_, text, column, shown) => {
  const [, ...lines] = renderDiagnostic({
    severity: 'error',
    message: 'm',
    place: { file: 'f', line: 1, column, text },
  }).split('\n')
  expect(lines.join('\n')).toBe(shown)
})

test('renderDiagnostic() shows only the beginning of what is very long', () => {
  const long = 'x'.repeat(100_000)
  const place = { file: 'f' }
  const shown = renderDiagnostic({ severity: 'error', message: long, hint: long, path: ['a', long], place })
  expect(shown).toMatch(/^f: a\.x+…: error: x+…\n {2}hint: x+…$/)
  expect(shown.length).toBeLessThan(6_100)
})

test('renderDiagnostic() escapes control sequences in every part', () => {
  const evil = '\u001b[2J\u202e'
  const diagnostic = {
    severity: 'error',
    message: evil,
    hint: evil,
    place: { file: evil, line: 1, column: 1, text: evil },
  } as const
  // oxlint-disable-next-line no-control-regex
  expect(renderDiagnostic(diagnostic)).not.toMatch(/[\u001b\u202e]/)
})

test.each([
  [[], ''],
  [['services', 'web', 'dependsOn', 0], 'services.web.dependsOn[0]'],
  [['a b', 'c.d', '__proto__'], '["a b"]["c.d"].__proto__'],
  [[0, 'x'], '[0].x'],
])('renderPath(%j)', (path, text) => {
  expect(renderPath(path)).toBe(text)
})

test('atPath() is an error, with a hint only when there is one', () => {
  expect(atPath(['a'], 'bad')).toEqual({ severity: 'error', message: 'bad', path: ['a'] })
  expect(atPath(['a'], 'bad', 'better')).toEqual({ severity: 'error', message: 'bad', path: ['a'], hint: 'better' })
})
