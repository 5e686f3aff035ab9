import type { LogLine, LogSource } from './log-line.ts'
import { type Clock, timeOfLine } from './line-time.ts'

export interface TimingTerms {
  readonly source: LogSource
  readonly clock: Clock
  /** Time of lines that nothing else tells anything about. */
  readonly otherwise: number
}

/** Gives lines their times: their own, or that of the line before, to which they may belong, or else that of the first one that has one. */
export function timeLines(lines: readonly string[], { source, clock, otherwise }: TimingTerms): LogLine[] {
  const found = lines.map((line) => timeOfLine(line, clock))
  let at = found.find((time) => time !== undefined)?.at ?? otherwise
  return lines.map((line, index) => {
    const time = found[index]
    if (time === undefined) return { source, at, isTimed: false, text: line }
    at = time.at
    return { source, at, isTimed: true, text: time.text }
  })
}
