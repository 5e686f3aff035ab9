import { type Report, type ReportEvent } from '@davit/diagnostics'
import type { Progress, ProgressOptions } from './progress.ts'
import { renderEvent, renderStep } from './render-event.ts'
import type { StepClock } from './step-clock.ts'

/** A step that takes longer is announced, so that a log shows what the tool is waiting for. */
const ANNOUNCE_AFTER_MILLISECONDS = 2_000

/** Progress for logs and pipes: a line when a step ends, and one before that if it takes long. */
export function lineProgress({ stream, verbosity }: ProgressOptions, clock: StepClock): Progress {
  const timers = new Map<string, NodeJS.Timeout>()
  const watch = (event: ReportEvent): void => {
    if (event.kind === 'started' && verbosity === 'normal') {
      const announce = (): void => void stream.write(`${renderStep(event)} …\n`)
      timers.set(event.id, setTimeout(announce, ANNOUNCE_AFTER_MILLISECONDS).unref())
    }
    if (event.kind === 'finished' || event.kind === 'failed') {
      clearTimeout(timers.get(event.id))
      timers.delete(event.id)
    }
  }
  const report: Report = (event) => {
    watch(event)
    const text = renderEvent(event, { verbosity, logs: 'omit', seconds: clock.follow(event) })
    if (text !== undefined) stream.write(`${text}\n`)
  }
  return { report, clear() {}, close: () => timers.forEach((timer) => clearTimeout(timer)) }
}
