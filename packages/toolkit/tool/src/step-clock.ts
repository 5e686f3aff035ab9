import type { ReportEvent } from '@davit/diagnostics'
import type { BusyStep } from './render-busy.ts'

/** Records which steps are running, and since when. */
export interface StepClock {
  readonly busy: ReadonlyMap<string, BusyStep>
  /** Records an event; returns how many seconds the step took if the event ends one. */
  follow(event: ReportEvent): number | undefined
}

/** Creates a clock; `now` returns milliseconds. */
export function createStepClock(now: () => number): StepClock {
  const busy = new Map<string, BusyStep>()
  return {
    busy,
    follow(event) {
      if (event.kind === 'started') busy.set(event.id, { target: event.target, step: event.step, since: now() })
      if (event.kind !== 'finished' && event.kind !== 'failed') return undefined
      const since = busy.get(event.id)?.since
      busy.delete(event.id)
      return since === undefined ? undefined : (now() - since) / 1000
    },
  }
}
