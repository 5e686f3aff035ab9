import { manifestOf } from '@davit/comparison/testing'
import { expect, test } from 'vitest'

import {
  isEmptySelection,
  parseTerms,
  selectedTargets,
  selectIn,
  termsOf,
  unmatchedError,
  unmatchedIn,
} from '../src/selection.ts'

const NEXT = manifestOf({
  targets: {
    db: {},
    web1: { properties: { tags: 'canary' } },
    web2: {},
    ['__proto__']: {},
  },
  services: {
    store: { key: 'store1', on: ['db/process'] },
    api: { key: 'api2', on: ['web1/process', 'web2/process'], dependsOn: ['store1@db/process'] },
    page: { key: 'page2', on: ['web2/process'], connectsTo: ['api2@web1/process', 'api2@web2/process'] },
  },
})
const CURRENT = manifestOf({
  targets: { db: {}, web2: { properties: { tags: 'canary' } }, old: {} },
  services: { gone: { on: ['old/process', 'db/process'] } },
})

test.each([
  ['db', 'db'],
  ['web?', 'web1 web2'],
  ['*', '__proto__ db old web1 web2'],
  ['__proto__', '__proto__'],
  ['@canary', 'web1'],
  ['@can*', 'web1'],
  ['service:api', 'service:api@web1 service:api@web2'],
  ['service:api@web2', 'service:api@web2'],
  ['service:*@db', 'service:gone@db service:store@db'],
  ['service:gone', 'service:gone@db service:gone@old'],
  ['service:...store', 'service:store@db service:api@web1 service:api@web2 service:page@web2'],
  ['service:...api@web1', 'service:api@web1 service:page@web2'],
  ['web1,service:api', 'web1 service:api@web2'],
  ['web*,!web1', 'web2'],
  ['!web1,web*', 'web2'],
  ['!web*,!old', '__proto__ db'],
  ['web2,!service:page', 'service:api@web2'],
  ['web2,!service:store', 'web2'],
  ['web1,!web*', ''],
])('selectIn(): %s selects %s', (selected, expected) => {
  const selection = selectIn([NEXT, CURRENT], parseTerms([selected]))
  expect(termsOf(selection).join(' ')).toBe(expected)
  expect(isEmptySelection(selection)).toBe(expected === '')
})

test('selectedTargets(): names each target once, in order', () => {
  const selection = selectIn([NEXT, CURRENT], parseTerms(['web2', 'service:...store']))
  expect([...selectedTargets(selection)]).toEqual(['db', 'web1', 'web2'])
})

test.each([
  ['wbe1', "nothing matches 'wbe1'", "did you mean 'web1'?"],
  ['xyz-*', "nothing matches 'xyz-*'", "the targets are '__proto__', 'db', 'old', 'web1', 'web2'"],
  ['!wbe1', "nothing matches '!wbe1'", "did you mean '!web1'?"],
  ['@canray', "nothing matches '@canray'", "did you mean '@canary'?"],
  ['service:stroe', "nothing matches 'service:stroe'", "did you mean 'service:store'?"],
  ['service:...stroe', "nothing matches 'service:...stroe'", "did you mean 'service:...store'?"],
  ['api', "nothing matches 'api'", "it is a service: write 'service:api'"],
  ['@api', "nothing matches '@api'", "the tags are 'canary'"],
  ['service:xyz', "nothing matches 'service:xyz'", "the services are 'api', 'gone', 'page', 'store'"],
])('unmatchedIn(): %s', (selected, message, hint) => {
  const terms = parseTerms([`db,${selected}`])
  const unmatched = unmatchedIn([NEXT, CURRENT], terms)
  expect(unmatched.map(({ text }) => text)).toEqual([selected])
  expect(unmatchedError(unmatched, [NEXT, CURRENT])).toMatchObject({
    code: 'nothing-selected',
    exitStatus: 64,
    message,
    hint,
  })
})

test('unmatchedError(): names all that match nothing', () => {
  const unmatched = unmatchedIn([NEXT, CURRENT], parseTerms(['wbe1', 'xyz']))
  expect(unmatchedError(unmatched, [NEXT, CURRENT])).toMatchObject({
    message: '2 of the selected names match nothing',
    diagnostics: [
      { message: "nothing matches 'wbe1'", hint: "did you mean 'web1'?" },
      { message: "nothing matches 'xyz'" },
    ],
  })
})
