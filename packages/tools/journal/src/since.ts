import { usageError } from '@davit/tool'

/** Parses `2d`, `3h` or `30m` before now, or a day, or a time in UTC. */
export function parseSince(text: string, now: Date): Date {
  const time = timeBefore(text, now) ?? timeIn(text)
  if (time !== undefined) return time
  throw usageError(
    `option '--since' cannot be '${text}'`,
    "expected 2d, 3h or 30m, a day such as 2026-11-21, or a time in UTC such as '2026-11-21 17:30'",
  )
}

const MILLISECONDS: ReadonlyMap<string, number> = new Map([
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
])

function timeBefore(text: string, now: Date): Date | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([dhm])$/.exec(text) ?? []
  return count === undefined ? undefined : new Date(now.getTime() - Number(count) * (MILLISECONDS.get(unit) ?? 0))
}

/** Parses a day or time; refuses days such as 31 February, which Date would move to March. */
function timeIn(text: string): Date | undefined {
  const [, day = '', clock = '00:00:00'] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)Z?)?$/.exec(text) ?? []
  const time = new Date(`${day}T${clock}Z`)
  return Number.isNaN(time.getTime()) || !time.toISOString().startsWith(day) ? undefined : time
}
