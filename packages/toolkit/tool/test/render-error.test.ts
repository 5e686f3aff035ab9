import { DavitError } from '@davit/diagnostics'
import { expect, test } from 'vitest'
import { exitStatusOf, renderError } from '../src/render-error.ts'

const text = { tool: 'davit-x', format: 'text', debug: false } as const

const wrong = new DavitError('invalid-document', "'bad.xml' is not a valid document", {
  exitStatus: 65,
  hint: 'repair it',
  fields: { problems: ['pkg'] },
  diagnostics: [{ severity: 'error', message: "missing key 'pkg'", place: { file: 'bad.xml', line: 5, column: 5 } }],
  cause: new Error('outer', { cause: 'inner\u001b[0m' }),
})

test('renderError() shows diagnostics, message, causes and hint', () => {
  expect(renderError(wrong, text)).toBe(
    [
      "bad.xml:5:5: error: missing key 'pkg'",
      "davit-x: 'bad.xml' is not a valid document [invalid-document]",
      'caused by: outer',
      'caused by: inner\\u001b[0m',
      'hint: repair it',
      '',
    ].join('\n'),
  )
})

test('renderError() shows stacks only when debugging', () => {
  expect(renderError(wrong, text)).not.toContain('    at ')
  expect(renderError(wrong, { ...text, debug: true })).toContain('    at ')
})

test('renderError() asks to report a bug, with its stack', () => {
  const output = renderError(new TypeError('x is not a function'), text)
  expect(output).toMatch(/^davit-x: internal error, please report it: x is not a function\nTypeError: .*\n {4}at /)
  expect(exitStatusOf(new TypeError('x'))).toBe(70)
  expect(renderError('thrown', text)).toBe('davit-x: internal error, please report it: thrown\n')
})

test.each([
  [
    { code: 'ENOSPC', syscall: 'mkdir', path: '/x\u001b' },
    "cannot create '/x\\u001b': no space left on the device",
    'free some space there',
  ],
  [{ code: 'ENOSPC', syscall: 'write' }, 'cannot write: no space left on the device', 'free some space there'],
  [{ code: 'EROFS', syscall: 'open', path: '/x' }, "cannot open '/x': the file system is read-only", 'remount'],
])('renderError() does not take for a bug what the machine refuses: %j', (facts, message, hint) => {
  const refusal = Object.assign(new Error('refused'), facts)
  const output = renderError(refusal, text)
  expect(output).toMatch(/^davit-x: .*\[refused-by-system\]\ncaused by: refused\nhint: .*\n$/)
  expect(output).toContain(message)
  expect(output).toContain(hint)
  expect(exitStatusOf(refusal)).toBe(73)
  expect(exitStatusOf(Object.assign(new Error('x'), { code: 'ENOENT', syscall: 'open' }))).toBe(70)
})

test('renderError() writes one line of JSON', () => {
  const output = renderError(wrong, { ...text, format: 'json' })
  expect(output.trimEnd()).not.toContain('\n')
  expect(JSON.parse(output)).toMatchObject({
    kind: 'error',
    tool: 'davit-x',
    code: 'invalid-document',
    exitStatus: 65,
    hint: 'repair it',
    problems: ['pkg'],
    causes: ['outer', 'inner\u001b[0m'],
    diagnostics: [{ message: "missing key 'pkg'" }],
  })
})

test('renderError() ends where causes bite their tail', () => {
  const first = new Error('first')
  const second = new Error('second', { cause: first })
  first.cause = second
  const output = renderError(new DavitError('failed', 'top', { cause: first }), text)
  expect(output).toBe('davit-x: top [failed]\ncaused by: first\ncaused by: second\n')
})
