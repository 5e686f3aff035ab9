import { printableLine } from '@davit/diagnostics'
import type { LogLine, LogSource } from '@davit/service-logs'

export interface Rendering {
  /** Columns of the terminal; undefined if there is none. */
  readonly columns?: number | undefined
  /** Whether lines of several services are printed. */
  readonly isMixed: boolean
}

/** Below so many columns, the day is left out of times. */
const NARROW = 100

/** Returns a function that renders lines as text; the names in front become as wide as the longest one so far. */
export function textRenderer({ columns, isMixed }: Rendering): (lines: readonly LogLine[]) => string {
  // Names must leave room for the text.
  const most = columns === undefined ? Number.POSITIVE_INFINITY : Math.floor(columns / 3)
  let width = 0
  return (lines) => {
    const names = lines.map(({ source }) => printableLine(nameOf(source, isMixed)))
    width = names.reduce((widest, { length }) => Math.max(widest, Math.min(length, most)), width)
    return lines
      .map((line, index) => {
        const parts = [timeText(line, columns), (names[index] ?? '').padEnd(width), '|', textOf(line)]
        return `${parts.join(' ').trimEnd()}\n`
      })
      .join('')
  }
}

/** Renders each line as an object in JSON. */
export function renderJson(lines: readonly LogLine[]): string {
  return lines
    .map((line) => {
      const { source, at, isTimed } = line
      const time = isTimed ? { time: new Date(at).toISOString() } : {}
      return `${JSON.stringify({ ...time, ...source, text: textOf(line) })}\n`
    })
    .join('')
}

function nameOf({ service, target, container, activity }: LogSource, isMixed: boolean): string {
  return [...(isMixed ? [service] : []), `${target}:${container}`, ...(activity === undefined ? [] : [activity])].join(
    ' ',
  )
}

function timeText({ at, isTimed }: LogLine, columns: number | undefined): string {
  const time = new Date(at).toISOString()
  const text = columns !== undefined && columns < NARROW ? `${time.slice(11, 19)}Z` : time
  return isTimed ? text : ' '.repeat(text.length)
}

function textOf({ text }: LogLine): string {
  return printableLine(text.replaceAll('\t', '    '))
}
