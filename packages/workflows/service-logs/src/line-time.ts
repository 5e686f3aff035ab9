/** What a line tells of its time. */
export interface LineTime {
  /** Milliseconds since 1970. */
  readonly at: number
  /** The line without its time, if it began with that. */
  readonly text: string
}

/** By what the times of a machine are understood. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Minutes by which its local time, in which times without a zone are, is ahead of UTC. */
  readonly zone: number
}

/** Finds the time of a line, as programs usually write it; undefined if it has none. */
export function timeOfLine(line: string, clock: Clock): LineTime | undefined {
  return (
    epochTime(line) ??
    isoTime(line, clock) ??
    syslogTime(line, clock) ??
    dayFirstTime(line, clock) ??
    weekdayFirstTime(line, clock) ??
    timeWithin(line)
  )
}

const DAY = 24 * 60 * 60 * 1000

/** As journalctl and the kernel's clock have it: seconds since 1970, with a fraction. */
function epochTime(line: string): LineTime | undefined {
  const [found, seconds] = /^(\d{9,11}\.\d{3,9}) /.exec(line) ?? []
  return found === undefined ? undefined : { at: Number(seconds) * 1000, text: line.slice(found.length) }
}

const CLOCK_TIME = String.raw`(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?`
const ZONE = String.raw`(?:\s?(Z|UTC|[+-]\d\d:?\d\d)(?![\w:]))?`
const ISO = new RegExp(String.raw`^\[?(\d{4})[-/](\d\d)[-/](\d\d)[T ]${CLOCK_TIME}${ZONE}\]?:?(?:\s|$)`)

function isoTime(line: string, clock: Clock): LineTime | undefined {
  const [found = '', year = '', month = '', day = '', ...rest] = ISO.exec(line) ?? []
  return timed(line, found, millisecondsOf({ year, month: Number(month), day, clock: rest, zone: rest[4] }, clock))
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const MONTH = `(${MONTHS.join('|')})`
/** Of syslog, without a year. */
const SYSLOG = new RegExp(String.raw`^${MONTH} ([ \d]\d) ${CLOCK_TIME} `)
/** Of Tomcat. */
const DAY_FIRST = new RegExp(String.raw`^(\d\d)-${MONTH}-(\d{4}) ${CLOCK_TIME} `)
/** Of Apache. */
const WEEKDAY_FIRST = new RegExp(String.raw`^\[\w{3} ${MONTH} ([ \d]\d) ${CLOCK_TIME} (\d{4})\]\s?`)

function syslogTime(line: string, clock: Clock): LineTime | undefined {
  const [found = '', month, day = '', ...rest] = SYSLOG.exec(line) ?? []
  return timed(line, found, inLastYear({ month: monthOf(month), day, clock: rest }, clock))
}

function dayFirstTime(line: string, clock: Clock): LineTime | undefined {
  const [found = '', day = '', month, year = '', ...rest] = DAY_FIRST.exec(line) ?? []
  return timed(line, found, millisecondsOf({ year, month: monthOf(month), day, clock: rest }, clock))
}

function weekdayFirstTime(line: string, clock: Clock): LineTime | undefined {
  const [found = '', month, day = '', ...rest] = WEEKDAY_FIRST.exec(line) ?? []
  return timed(line, found, millisecondsOf({ year: rest[4] ?? '', month: monthOf(month), day, clock: rest }, clock))
}

/** Of the access logs of web servers, behind the address. */
const WITHIN = new RegExp(String.raw`^[^[]{1,200}\[(\d\d)/${MONTH}/(\d{4}):${CLOCK_TIME} ([+-]\d{4})\]`)

function timeWithin(line: string): LineTime | undefined {
  const [, day = '', month, year = '', ...rest] = WITHIN.exec(line) ?? []
  const at = millisecondsOf({ year, month: monthOf(month), day, clock: rest, zone: rest[4] }, { now: 0, zone: 0 })
  return at === undefined ? undefined : { at, text: line }
}

function timed(line: string, found: string, at: number | undefined): LineTime | undefined {
  return at === undefined ? undefined : { at, text: line.slice(found.length) }
}

function monthOf(name: string | undefined): number {
  return MONTHS.indexOf(name ?? '') + 1
}

interface Parts {
  readonly year: string
  /** From 1. */
  readonly month: number
  readonly day: string
  /** Hours, minutes, seconds and their fraction. */
  readonly clock: readonly (string | undefined)[]
  readonly zone?: string | undefined
}

/** Undefined if there is no such time. */
function millisecondsOf({ year, month, day, clock, zone }: Parts, { zone: local }: Clock): number | undefined {
  const [hours, minutes, seconds, fraction = '0'] = clock
  if (year === '' || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 60) return undefined
  const time = Date.UTC(Number(year), month - 1, Number(day), Number(hours), Number(minutes), Number(seconds))
  const date = new Date(time)
  if (date.getUTCMonth() !== month - 1 && Number(seconds) < 60) return undefined
  return time + Number(`0.${fraction}`) * 1000 - minutesOf(zone, local) * 60_000
}

function minutesOf(zone: string | undefined, local: number): number {
  if (zone === undefined) return local
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? []
  return (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === '-' ? -1 : 1)
}

/** The latest time with this day that is not in the future. */
function inLastYear(parts: Omit<Parts, 'year'>, clock: Clock): number | undefined {
  if (parts.month === 0) return undefined
  const year = new Date(clock.now).getUTCFullYear()
  const candidates = [year + 1, year, year - 1].map((one) => millisecondsOf({ ...parts, year: String(one) }, clock))
  return candidates.find((at) => at !== undefined && at <= clock.now + DAY)
}
