import type { Diagnostic } from './diagnostic.ts'
import type { Message } from './message-table.ts'

/** A step on a target, or on the coordinator, without target; `id` ties its end to its beginning. */
export interface ReportedStep {
  readonly id: string
  readonly target?: string
  readonly step: string
  /** Where a lifecycle module carries it out: for programs, who need not take the text apart. */
  readonly activity?: { readonly kind: string; readonly service: string; readonly container: string }
}

/** Something that happens while a tool works; `tool` renders it for terminals, logs and machines. */
export type ReportEvent =
  | (ReportedStep & { readonly kind: 'started' })
  | (ReportedStep & { readonly kind: 'finished' })
  | (ReportedStep & {
      readonly kind: 'failed'
      readonly message: string
      /** The end of the log of what failed. */
      readonly log?: string
    })
  | Message
  | { readonly kind: 'diagnostic'; readonly diagnostic: Diagnostic }

export type Report = (event: ReportEvent) => void
