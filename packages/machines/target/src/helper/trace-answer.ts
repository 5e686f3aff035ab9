import type { Trace } from '@davit/diagnostics'

import { sizeOf } from './answer-lines.ts'

export interface TracedRequest {
  readonly name: string
  readonly place: string
  /** Its size. */
  readonly out: number
}

/** Adds a request to a trace, if there is one, from now until its answer. */
export function traceAnswer(
  answer: Promise<readonly string[]>,
  trace: Trace | undefined,
  { name, place, out }: TracedRequest,
): void {
  const end = trace?.({ kind: 'request', name, place, fields: { out } })
  if (end === undefined) return
  answer.then(
    (lines) => end({ in: sizeOf(lines) }),
    () => end(),
  )
}
