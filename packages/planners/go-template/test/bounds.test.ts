import { expect, test } from 'vitest'
import { FUNCTIONS } from '../src/functions/functions.ts'
import { expanded, failure } from './testing.ts'

const NAMES = `
  add add1 and atoi b32dec b32enc b64dec b64enc biggest cat contains default dict div empty eq float64 ge get gt has
  hasPrefix hasSuffix html include indent index initials int int64 join js json kindIs kindOf le len lower lt max min mod
  mul ne nospace not or orElse orEmpty panic plural print printf println quote repeat replace require set sha256sum split
  squote sub substr swapcase title trim trimAll trimPrefix trimSuffix trimall trunc tuple typeIs typeOf until untilStep
  untitle upper urlquery wrap wrapWith yaml`

test('there are these functions, and no others', () => {
  expect([...FUNCTIONS.keys()].toSorted()).toEqual(NAMES.trim().split(/\s+/))
})

const CHANGING =
  'now date dateModify htmlDate env expandenv getHostByName uuidv4 randAlpha randNumeric shuffle genPrivateKey genCA derivePassword htpasswd encryptAES'

test.each(CHANGING.split(' '))('there is no function %s, which would give something else each time', (name) => {
  expect(failure(`a{{${name} "x"}}`)).toMatch(new RegExp(`^Mu.yaml:3: there is no function '${name}'`))
})

test('16 MiB can be printed, and no more', () => {
  expect(expanded('{{repeat 16777215 "x"}}y').text).toHaveLength(16 * 1024 * 1024)
  expect(failure('{{repeat 16777215 "x"}}yz')).toContain('the template prints more than 16 MiB')
  expect(failure('{{repeat 16777215 "x"}}é')).toContain('the template prints more than 16 MiB')
  expect(expanded('{{len (repeat 16777216 "x")}}').text).toBe('16777216')
  expect(failure('{{len (repeat 16777217 "x")}}')).toContain('the text would be longer than 16 MiB')
})

test('an expansion may take 10 million steps, and no more', () => {
  // Reading 256 units of text is a step.
  const reads = (times: number) =>
    `{{$x := repeat 16000000 "x"}}{{range until ${times}}}{{if empty $x}}{{end}}{{end}}end`
  expect(expanded(reads(159)).text).toBe('end')
  expect(failure(reads(160))).toContain('empty: the template takes more than 10 million steps')
})

test('files that are included share the bounds of the one that includes them', () => {
  const files = {
    big: '{{repeat 9000000 "x"}}',
    slow: `{{$x := repeat 16000000 "x"}}{{range until 100}}{{if empty $x}}{{end}}{{end}}`,
  }
  expect(expanded('{{include "big"}}', { files }).text).toHaveLength(9_000_000)
  expect(failure('{{include "big"}}{{include "big"}}', { files })).toContain('the template prints more than 16 MiB')
  expect(expanded('{{include "slow"}}', { files }).text).toBe('')
  expect(failure('{{include "slow"}}{{include "slow"}}', { files })).toContain('more than 10 million steps')
})

test('lists have at most 500,000 elements', () => {
  expect(expanded('{{len (until 500000)}}').text).toBe('500000')
  expect(failure('{{until 500001}}')).toBe('Mu.yaml:2: until: more than 500000 elements')
})

test('what follows each other is not within each other', () => {
  expect(expanded('{{include "f"}}'.repeat(33), { files: { f: 'x' } }).text).toBe('x'.repeat(33))
  expect(expanded('{{if 1}}x{{end}}'.repeat(1001)).text).toBe('x'.repeat(1001))
  expect(expanded('{{if (print 1)}}x{{end}}'.repeat(201)).text).toBe('x'.repeat(201))
})
