import { usageError } from './usage-error.ts'

/** Parses `2d`, `3h`, `30m` or `45s` before now, or a day or time, in UTC unless it has a zone. */
export function parseSince(text: string, now: Date): Date {
  const time = timeBefore(text, now) ?? timeIn(text)
  if (time !== undefined) return time
  throw usageError(
    `option '--since' cannot be '${text}'`,
    "expected 2d, 3h, 30m or 45s, a day such as 2026-11-21, or a time in UTC such as '2026-11-21 17:30', or with a zone such as 2026-11-21T17:30+01:00",
  )
}

const MILLISECONDS: ReadonlyMap<string, number> = new Map([
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
])

function timeBefore(text: string, now: Date): Date | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([dhms])$/.exec(text) ?? []
  return count === undefined ? undefined : new Date(now.getTime() - Number(count) * (MILLISECONDS.get(unit) ?? 0))
}

const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:?\d\d)?)?$/

/** Parses a day or time; refuses days such as 31 February, which Date would move to March. */
function timeIn(text: string): Date | undefined {
  const [, day = '', clock = '00:00:00', zone = 'Z'] = TIME.exec(text) ?? []
  const local = new Date(`${day}T${clock}Z`)
  if (Number.isNaN(local.getTime()) || !local.toISOString().startsWith(day)) return undefined
  const time = new Date(`${day}T${clock}${zone.replace(/^(...)(\d\d)$/, '$1:$2')}`)
  return Number.isNaN(time.getTime()) ? undefined : time
}
