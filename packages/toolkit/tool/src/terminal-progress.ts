import type { Report, ReportEvent } from '@davit/diagnostics'
import type { MessageStream } from './host.ts'
import type { Progress, ProgressOptions } from './progress.ts'
import { renderBusy } from './render-busy.ts'
import { renderEvent } from './render-event.ts'
import type { StepClock } from './step-clock.ts'

const REDRAW_MILLISECONDS = 1_000

/** Progress for terminals: finished steps and messages scroll away above a line for each busy target. */
export function terminalProgress(options: ProgressOptions, clock: StepClock): Progress {
  const { stream, now } = options
  let drawn = 0
  // The echo of a typed key, such as ^C, may have moved the cursor within the line.
  const erase = (): string => (drawn === 0 ? '' : `\r\u001b[${drawn}A\u001b[J`)
  const draw = (above: string): void => {
    const lines = renderBusy(clock.busy.values(), { ...sizeOf(stream), now: now() })
    const text = erase() + above + lines.map((line) => `${line}\n`).join('')
    drawn = lines.length
    if (text !== '') stream.write(text)
  }
  const clear = (): void => {
    if (drawn > 0) stream.write(erase())
    drawn = 0
  }
  const timer = setInterval(() => draw(''), REDRAW_MILLISECONDS).unref()
  const report: Report = (event) => draw(keptText(event, options, clock.follow(event)))
  const close = (): void => {
    clearInterval(timer)
    clear()
  }
  return { report, clear, close }
}

/** Size of a terminal; the usual one for those that do not know theirs, such as serial lines, which report 0 by 0. */
function sizeOf({ columns, rows }: MessageStream) {
  return { columns: columns || 80, rows: rows || 24 }
}

/** Text of an event that stays on the terminal; the beginning of a step shows in the busy lines only. */
function keptText(event: ReportEvent, { verbosity, color }: ProgressOptions, seconds: number | undefined): string {
  if (event.kind === 'started') return ''
  const text = renderEvent(event, { verbosity, logs: 'omit', seconds })
  if (text === undefined) return ''
  return `${color ? inColor(event, text) : text}\n`
}

function inColor(event: ReportEvent, text: string): string {
  if (event.kind === 'failed') return `\u001b[31m${text}\u001b[39m`
  return event.kind === 'warning' ? `\u001b[33m${text}\u001b[39m` : text
}
