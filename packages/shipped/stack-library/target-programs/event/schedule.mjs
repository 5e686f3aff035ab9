const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const UNITS = { s: SECOND, m: MINUTE, h: HOUR, d: DAY }

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

/** The fields of cron: name, lowest and highest value, and words for the values from the lowest on. */
const FIELDS = [
  ['minute', 0, 59, []],
  ['hour', 0, 23, []],
  ['day of the month', 1, 31, []],
  ['month', 1, 12, MONTHS],
  ['day of the week', 0, 7, DAYS],
]

/** The 29th of February may be eight years away. */
const MOST_DAYS = 8 * 366 + 1

/** Parses five fields of cron, in UTC, or `@every 1h30m`; throws an Error that says what is wrong. */
export function parseSchedule(text) {
  const words = text.trim().split(/\s+/)
  if (words[0] === '@every') return { every: parsePeriod(words.slice(1).join(' ')) }
  if (words.length !== FIELDS.length)
    throw new Error('expected five fields of cron, or @every and a period such as 30s')
  const [minutes, hours, days, months, weekdays] = words.map((word, index) => parseField(word, FIELDS[index]))
  if (weekdays.has(7)) weekdays.add(0)
  const schedule = { minutes, hours, days, months, weekdays, anyDay: isAny(words[2]), anyWeekday: isAny(words[4]) }
  if (nextTime(schedule, 0) === undefined) throw new Error('there is no such day')
  return schedule
}

/** Returns the first moment of a schedule after another, both in milliseconds since 1970. */
export function nextTime(schedule, after) {
  if (schedule.every !== undefined) return (Math.floor(after / schedule.every) + 1) * schedule.every
  const today = Math.floor(after / DAY) * DAY
  for (let count = 0; count < MOST_DAYS; count += 1) {
    const day = today + count * DAY
    if (!isDayOf(schedule, new Date(day))) continue
    for (const hour of schedule.hours) {
      for (const minute of schedule.minutes) {
        const time = day + hour * HOUR + minute * MINUTE
        if (time > after) return time
      }
    }
  }
  return undefined
}

/** If both kinds of days are restricted, either of them counts, as in cron. */
function isDayOf({ days, months, weekdays, anyDay, anyWeekday }, date) {
  if (!months.has(date.getUTCMonth() + 1)) return false
  const [isDay, isWeekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())]
  return anyDay || anyWeekday ? isDay && isWeekday : isDay || isWeekday
}

function isAny(word) {
  return word.startsWith('*')
}

function parsePeriod(text) {
  if (!/^(\d+[smhd])+$/.test(text)) throw new Error(`'${text}' is no period; expected for example 30s, 5m or 1h30m`)
  const parts = text.match(/(?<!\d)\d+[smhd]/g)
  const period = parts.reduce((sum, part) => sum + Number(part.slice(0, -1)) * UNITS[part.at(-1)], 0)
  if (period < SECOND || period > 366 * DAY) throw new Error(`the period '${text}' is not between a second and a year`)
  return period
}

/** Returns the values of a field in ascending order. */
function parseField(word, field) {
  const values = word.split(',').flatMap((part) => parsePart(part, field))
  return new Set(values.toSorted((left, right) => left - right))
}

function parsePart(part, field) {
  const [range, step = '1', ...others] = part.split('/')
  const ends = endsOf(range, { field, isOpen: part.includes('/') })
  if (!isWithin(ends, field) || !/^0*[1-9]\d*$/.test(step) || others.length > 0) {
    const [name, lowest, highest] = field
    throw new Error(`'${part}' is no ${name}; values are from ${lowest} to ${highest}`)
  }
  const [first, last] = ends
  return everyNth(Number(step), first, last)
}

/** Returns the ends of a range. A single value is both; with a step, it begins an open one. */
function endsOf(range, { field, isOpen }) {
  const [, lowest, highest] = field
  if (range === '*') return [lowest, highest]
  const ends = range.split('-').map((end) => valueOf(end, field))
  return ends.length === 1 ? [ends[0], isOpen ? highest : ends[0]] : ends
}

function isWithin([first, last, ...others], [, lowest, highest]) {
  return first >= lowest && first <= last && last <= highest && others.length === 0
}

function everyNth(step, first, last) {
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step)
}

function valueOf(text, [, lowest, , words]) {
  const index = words.indexOf(text.toUpperCase())
  if (index !== -1) return lowest + index
  return /^\d+$/.test(text) ? Number(text) : Number.NaN
}
