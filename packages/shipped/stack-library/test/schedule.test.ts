import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nextTime, parseSchedule, TARGET_PROGRAMS } from '../src/stack-library.ts'

const next = (schedule: string, after: string) => {
  const time = nextTime(parseSchedule(schedule), Date.parse(after))
  return time === undefined ? undefined : new Date(time).toISOString().replace(':00.000Z', '')
}

test.each([
  ['* * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:01'],
  ['* * * * *', '2026-01-01T00:00:59.999Z', '2026-01-01T00:01'],
  ['30 2 * * *', '2026-01-01T02:30:00Z', '2026-01-02T02:30'],
  ['*/20 9-17 * * MON-FRI', '2026-01-02T17:40:00Z', '2026-01-05T09:00'],
  ['5/25 * * * *', '2026-01-01T00:05:00Z', '2026-01-01T00:30'],
  ['0 0 1,15 * *', '2026-01-02T00:00:00Z', '2026-01-15T00:00'],
  ['0 0 13 * fri', '2026-01-01T00:00:00Z', '2026-01-02T00:00'],
  ['0 0 */2 * 1', '2026-01-01T00:00:00Z', '2026-01-05T00:00'],
  ['0 12 * jan,Dec *', '2026-01-31T12:00:00Z', '2026-12-01T12:00'],
  ['0 0 * * 7', '2026-01-01T00:00:00Z', '2026-01-04T00:00'],
  ['0 0 29 2 *', '2096-03-01T00:00:00Z', '2104-02-29T00:00'],
  ['@every 1h30m', '2026-01-01T00:00:00Z', '2026-01-01T01:30'],
  ['@every 1m', '2026-01-01T00:00:30Z', '2026-01-01T00:01'],
])('%s after %s is %s', (schedule, after, expected) => {
  expect(next(schedule, after)).toBe(expected)
})

test.each([
  ['', 'expected five fields'],
  ['* * * *', 'expected five fields'],
  ['* * * * * *', 'expected five fields'],
  ['60 * * * *', "'60' is no minute; values are from 0 to 59"],
  ['* 5-3 * * *', "'5-3' is no hour"],
  ['* * 0 * *', "'0' is no day of the month"],
  ['* * * MOON *', "'MOON' is no month"],
  ['* * * * 8', "'8' is no day of the week"],
  ['*/0 * * * *', "'*/0' is no minute"],
  ['*/00 * * * *', "'*/00' is no minute"],
  ['1-2-3 * * * *', "'1-2-3' is no minute"],
  ['1, * * * *', "'' is no minute"],
  ['0x1 * * * *', "'0x1' is no minute"],
  ['0 0 31 2 *', 'there is no such day'],
  ['@every', "'' is no period"],
  ['@every 0s', "the period '0s' is not between"],
  ['@every 1y', "'1y' is no period"],
])('%j is refused: %s', (schedule, problem) => {
  expect(() => parseSchedule(schedule)).toThrow(problem)
})

test.each(['Asia/Kolkata', 'America/New_York'])('where it is %s, schedules are in UTC all the same', (zone) => {
  const module = JSON.stringify(join(TARGET_PROGRAMS.event, 'schedule.mjs'))
  const code = `import { nextTime, parseSchedule } from ${module}
console.log(new Date(nextTime(parseSchedule('15 3 1 3 *'), Date.UTC(2026, 0, 1))).toISOString())
console.log(new Date(nextTime(parseSchedule('0 23 * * SUN'), Date.UTC(2026, 0, 1))).toISOString())`
  const argv = ['--input-type=module', '--eval', code]
  const { stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8', env: { TZ: zone } })
  expect([stdout, stderr]).toEqual(['2026-03-01T03:15:00.000Z\n2026-01-04T23:00:00.000Z\n', ''])
})
