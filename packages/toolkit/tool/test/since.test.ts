import { expect, test } from 'vitest'

import { parseSince } from '../src/since.ts'

test.each([
  ['2d', '2026-11-19T12:00:00.000Z'],
  ['90m', '2026-11-21T10:30:00.000Z'],
  ['45s', '2026-11-21T11:59:15.000Z'],
  ['3h', '2026-11-21T09:00:00.000Z'],
  ['2026-11-20', '2026-11-20T00:00:00.000Z'],
  ['2026-11-20 17:30', '2026-11-20T17:30:00.000Z'],
  ['2026-11-20T17:30:15Z', '2026-11-20T17:30:15.000Z'],
  ['2026-11-20T17:30:15.250Z', '2026-11-20T17:30:15.250Z'],
  ['2026-11-20 17:30+01:00', '2026-11-20T16:30:00.000Z'],
  ['2026-11-20T17:30:15-0530', '2026-11-20T23:00:15.000Z'],
])('since %s is %s', (text, time) => {
  expect(parseSince(text, new Date('2026-11-21T12:00:00Z')).toISOString()).toBe(time)
})

test.each([
  '',
  'yesterday',
  '2026-13-01',
  '2026-02-31',
  '12',
  '-3d',
  '2026-11-20 25:00',
  '1.5h',
  '2026-11-20+01:00',
  '2026-02-31T10:00+01:00',
])("since '%s' is wrong usage", (text) => {
  expect(() => parseSince(text, new Date())).toThrow(expect.objectContaining({ code: 'usage', exitStatus: 64 }))
})
