import type { Diagnostic } from './diagnostic.ts'

/** Something that happens while a tool works; `tool` renders it for terminals, logs and machines. */
export type ReportEvent =
  /** A step on a target (or on the coordinator, without target) begins; `id` ties it to its end. */
  | { readonly kind: 'started'; readonly id: string; readonly target?: string; readonly step: string }
  | { readonly kind: 'finished'; readonly id: string; readonly target?: string; readonly step: string }
  | {
      readonly kind: 'failed'
      readonly id: string
      readonly target?: string
      readonly step: string
      readonly message: string
      /** The end of the log of what failed. */
      readonly log?: string
    }
  | { readonly kind: 'note'; readonly target?: string; readonly message: string }
  /** Only shown with -v. */
  | { readonly kind: 'detail'; readonly target?: string; readonly message: string }
  | { readonly kind: 'warning'; readonly target?: string; readonly message: string; readonly hint?: string }
  | { readonly kind: 'diagnostic'; readonly diagnostic: Diagnostic }

export type Report = (event: ReportEvent) => void
