/** A stretch of time in a trace. It has names of services, targets and operations only, and no contents. */
export interface Span {
  readonly kind: SpanKind
  /** What is done: `handshake`, `observe`. */
  readonly name: string
  /** Target, or address of a machine, on which it is done; missing for work of the tool itself. */
  readonly place?: string | undefined
  readonly fields?: SpanFields
}

/** Kinds of work, by which a trace is summed up. */
export type SpanKind = 'document' | 'work' | 'ssh' | 'helper' | 'channel' | 'request' | 'activity'

export type SpanFields = Readonly<Record<string, string | number>>

/** Begins a span, and returns the function that ends it. Where no trace is written, there is no such function at all. */
export type Trace = (span: Span) => EndSpan
/** Ends a span, with what is known at its end. */
export type EndSpan = (fields?: SpanFields) => void

/** Variable that names the file of the trace. */
export const TRACE_VARIABLE = 'DAVIT_TRACE'

/** Traces a piece of work, however it ends. */
export async function traced<Result>(
  trace: Trace | undefined,
  span: Span,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const end = trace?.(span)
  try {
    return await work()
  } finally {
    end?.()
  }
}
