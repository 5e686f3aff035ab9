import { usageError } from '@davit/tool'

/** `2d`, `3h`, `30m` before now; or a day, or a time of UTC. */
export function parseSince(text: string, now: Date): Date {
  const time = timeBefore(text, now) ?? timeIn(text)
  if (time !== undefined) return time
  throw usageError(
    `option '--since' cannot be '${text}'`,
    "it is 2d, 3h or 30m, a day like 2026-11-21, or a time like '2026-11-21 17:30' of UTC",
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

/** There is no 31st of February, but a day after it. */
function timeIn(text: string): Date | undefined {
  const [, day = '', clock = '00:00:00'] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)Z?)?$/.exec(text) ?? []
  const time = new Date(`${day}T${clock}Z`)
  return Number.isNaN(time.getTime()) || !time.toISOString().startsWith(day) ? undefined : time
}
