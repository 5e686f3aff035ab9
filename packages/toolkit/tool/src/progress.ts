import type { Report } from '@davit/diagnostics'
import type { MessageStream } from './host.ts'
import { lineProgress } from './line-progress.ts'
import { renderEventJson, type Verbosity } from './render-event.ts'
import { createStepClock, type StepClock } from './step-clock.ts'
import { terminalProgress } from './terminal-progress.ts'

export interface ProgressOptions {
  /** Name of the tool. */
  readonly tool: string
  readonly stream: MessageStream
  readonly format: 'text' | 'json'
  readonly verbosity: Verbosity
  /** Whether a terminal shows colours. */
  readonly color: boolean
  /** Whether a terminal can move its cursor, so that lines can be redrawn in place. */
  readonly cursor: boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Shows what a tool reports while it works. */
export interface Progress {
  readonly report: Report
  /** Removes the lines of busy targets from the terminal before others write there; the next event draws them again. */
  clear(): void
  /** Removes them for good. */
  close(): void
}

export function createProgress(options: ProgressOptions): Progress {
  const clock = createStepClock(options.now)
  if (options.format === 'json') return jsonProgress(options, clock)
  return isLive(options) ? terminalProgress(options, clock) : lineProgress(options, clock)
}

function isLive({ stream, verbosity, cursor }: ProgressOptions): boolean {
  return stream.isTTY === true && cursor && verbosity !== 'quiet'
}

function jsonProgress({ tool, stream, verbosity, now }: ProgressOptions, clock: StepClock): Progress {
  const report: Report = (event) => {
    const time = new Date(now()).toISOString()
    const line = renderEventJson(event, { tool, verbosity, time, seconds: clock.follow(event) })
    if (line !== undefined) stream.write(`${line}\n`)
  }
  return { report, clear() {}, close() {} }
}
