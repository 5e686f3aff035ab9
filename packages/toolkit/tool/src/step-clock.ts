import type { ReportEvent } from '@davit/diagnostics'
import type { BusyStep } from './render-busy.ts'

/** Which steps are going on, and for how long. */
export interface StepClock {
  readonly busy: ReadonlyMap<string, BusyStep>
  /** Takes note of an event; how many seconds the step took that it ends. */
  follow(event: ReportEvent): number | undefined
}

/** `now` counts milliseconds. */
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
