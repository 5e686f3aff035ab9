import { describe, expect, test } from 'vitest'

import { timeOfLine } from '../src/line-time.ts'

/** A machine one hour ahead of UTC. */
const CLOCK = { now: Date.parse('2026-01-02T12:00:00Z'), zone: 60 }

function shown(line: string): readonly (string | undefined)[] {
  const found = timeOfLine(line, CLOCK)
  return [found && new Date(found.at).toISOString(), found?.text]
}

describe('timeOfLine()', () => {
  test.each([
    ['ISO 8601 in UTC', '2026-01-02T03:04:05Z up', '2026-01-02T03:04:05.000Z', 'up'],
    ['with a zone', '2026-01-02T03:04:05.678+02:00 up', '2026-01-02T01:04:05.678Z', 'up'],
    ['without a zone, as Python writes it', '2026-01-02 03:04:05,678 INFO up', '2026-01-02T02:04:05.678Z', 'INFO up'],
    ['in brackets', '[2026-01-02 03:04:05 +0000] up', '2026-01-02T03:04:05.000Z', 'up'],
    ['of PostgreSQL', '2026-01-02 03:04:05.678 UTC [12] LOG:  up', '2026-01-02T03:04:05.678Z', '[12] LOG:  up'],
    ['of nginx and Go', '2026/01/02 03:04:05 [error] up', '2026-01-02T02:04:05.000Z', '[error] up'],
    ['of Docker', '2026-01-02T03:04:05.678901234Z  up', '2026-01-02T03:04:05.678Z', ' up'],
    ['of journalctl', '1767323045.678901 web[7]: up', '2026-01-02T03:04:05.678Z', 'web[7]: up'],
    ['of syslog', 'Jan  2 03:04:05 web[7]: up', '2026-01-02T02:04:05.000Z', 'web[7]: up'],
    ['of syslog, last year', 'Dec 31 03:04:05 web[7]: up', '2025-12-31T02:04:05.000Z', 'web[7]: up'],
    ['of Tomcat', '02-Jan-2026 03:04:05.678 INFO [main] up', '2026-01-02T02:04:05.678Z', 'INFO [main] up'],
    ['of Apache', '[Fri Jan 02 03:04:05.678901 2026] [core:error] up', '2026-01-02T02:04:05.678Z', '[core:error] up'],
    [
      'of an access log',
      '::1 - - [02/Jan/2026:03:04:05 -0100] "GET /"',
      '2026-01-02T04:04:05.000Z',
      '::1 - - [02/Jan/2026:03:04:05 -0100] "GET /"',
    ],
    ['of a leap second', '2016-12-31T23:59:60Z up', '2017-01-01T00:00:00.000Z', 'up'],
    ['and nothing else', '2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z', ''],
  ])('finds a time %s', (_, line, time, text) => {
    expect(shown(line)).toEqual([time, text])
  })

  test.each([
    '',
    'up since 2026-01-02T03:04:05Z',
    '2026-13-02T03:04:05Z up',
    '2026-02-31 03:04:05 up',
    '2026-01-02T25:04:05Z up',
    '2026-01-02T03:60:05Z up',
    '2026-01-02T03:04:61Z up',
    '2026-01-02T03:04:05Zulu',
    '1767323045 is a number',
    'Mai  2 03:04:05 up',
    '\tat main (web.js:1)',
    `x [02/Jan/2026:03:04:05`,
  ])("finds none in '%s'", (line) => {
    expect(timeOfLine(line, CLOCK)).toBeUndefined()
  })
})
