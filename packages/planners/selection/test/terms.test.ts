import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { matchesGlob } from '../src/glob.ts'
import { parseTerms } from '../src/selection.ts'

test.each([
  ['web1', 'web1', true],
  ['web1', 'web', false],
  ['web1', 'web*', true],
  ['web1', '*1', true],
  ['web1', 'w*b?', true],
  ['web', 'web?', false],
  ['web', 'web*', true],
  ['', '*', true],
  ['', '?', false],
  ['a.c', 'a?c', true],
  ['abc', 'a.c', false],
  ['abab', '*ab', true],
  ['aXbXc', 'a*b*c', true],
  ['aXbX', 'a*b*c', false],
])('matchesGlob(): %s, %s: %s', (name, pattern, expected) => {
  expect(matchesGlob(name, pattern)).toBe(expected)
})

test('matchesGlob(): is what the same regular expression says', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 })
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*', '?'), maxLength: 8 })
  fc.assert(
    fc.property(text, pattern, (name, glob) => {
      const source = glob
        .replaceAll('.', String.raw`\.`)
        .replaceAll('*', '.*')
        .replaceAll('?', '.')
      expect(matchesGlob(name, glob)).toBe(new RegExp(`^${source}$`).test(name))
    }),
  )
})

test('matchesGlob(): many stars cost no more than the product of the lengths', () => {
  expect(matchesGlob('a'.repeat(20_000), `${'*a'.repeat(500)}*b`)).toBe(false)
})

test.each([
  ['web1', [{ kind: 'target', pattern: 'web1' }]],
  [
    'web-*, db?',
    [
      { kind: 'target', pattern: 'web-*' },
      { kind: 'target', pattern: 'db?' },
    ],
  ],
  ['@canary', [{ kind: 'tag', pattern: 'canary' }]],
  ['@in the cellar', [{ kind: 'tag', pattern: 'in the cellar' }]],
  ['service:api', [{ kind: 'service', pattern: 'api', on: '*', withDependants: false }]],
  ['service:api@web-*', [{ kind: 'service', pattern: 'api', on: 'web-*', withDependants: false }]],
  ['service:...api', [{ kind: 'service', pattern: 'api', on: '*', withDependants: true }]],
  ['service:*', [{ kind: 'service', pattern: '*', on: '*', withDependants: false }]],
  ['service:a+...', [{ kind: 'service', pattern: 'a+...', on: '*', withDependants: false }]],
  ['__proto__', [{ kind: 'target', pattern: '__proto__' }]],
])('parseTerms(): %s', (text, expected) => {
  expect(parseTerms([text]).map(({ what }) => what)).toEqual(expected)
  expect(parseTerms([`!${text.replace(/,.*/, '')}`])[0]).toMatchObject({ isExcluded: true, what: expected[0] })
})

test.each([
  ['', 'a selection contains an empty name'],
  ['web1,', 'a selection contains an empty name'],
  ['!', "a selection cannot contain '!'"],
  ['@', "a selection cannot contain '@'"],
  ['service:', "a selection cannot contain 'service:'"],
  ['service:...', "a selection cannot contain 'service:...'"],
  ['service:api@', "a selection cannot contain 'service:api@'"],
  ['services:api', "a selection cannot contain 'services:api'"],
  ['!!web1', "a selection cannot contain '!!web1'"],
  ['web 1', "a selection cannot contain 'web 1'"],
  ['/etc/passwd', "a selection cannot contain '/etc/passwd'"],
])('parseTerms(): refuses %j', (text, message) => {
  expect(() => parseTerms([text])).toThrow(message)
})
