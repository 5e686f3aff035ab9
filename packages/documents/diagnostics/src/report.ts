import type { Diagnostic } from './diagnostic.ts'
import type { Message } from './message-table.ts'

/** A step on a target, or on the coordinator if there is no target; `id` connects its end with its start. */
export interface ReportedStep {
  readonly id: string
  readonly target?: string
  readonly step: string
  /** Activity that a lifecycle module carries out in this step, so that programs need not parse the text. */
  readonly activity?: { readonly kind: string; readonly service: string; readonly container: string }
}

/** Something that happens while a tool works; `tool` renders it for terminals, logs and programs. */
export type ReportEvent =
  | (ReportedStep & { readonly kind: 'started' })
  | (ReportedStep & {
      readonly kind: 'finished'
      /** Size of the packages that the step transferred. */
      readonly bytes?: number
    })
  | (ReportedStep & {
      readonly kind: 'failed'
      readonly message: string
      /** Last lines of the log of the failed step. */
      readonly log?: string
    })
  | Message
  | { readonly kind: 'diagnostic'; readonly diagnostic: Diagnostic }

export type Report = (event: ReportEvent) => void
