import {
  type EndSpan,
  type Report,
  type ReportedStep,
  type Span,
  type SpanFields,
  type Trace,
  TRACE_VARIABLE,
} from '@davit/diagnostics'

import type { Host } from './host.ts'
import { say } from './messages.ts'
import { openTraceFile, type TraceFile } from './trace-file.ts'

/** Writes where the time of a run goes. */
export interface RunTrace {
  /** Missing if no trace is written. */
  readonly begin?: Trace
  /** Reports, and traces the steps among what is reported. */
  readonly report: Report
  end(): void
}

export interface TraceOptions {
  readonly tool: string
  readonly host: Pick<Host, 'environment' | 'startTime'>
  readonly report: Report
}

/** Begins the trace of a run, if the user wants one. */
export function openRunTrace(options: TraceOptions): RunTrace {
  const { host, report } = options
  const name = host.environment[TRACE_VARIABLE] ?? ''
  const trouble = (reason: string) => {
    if (!untraced.has(name)) report(say('trace-not-written', { reason }))
    untraced.add(name)
  }
  const file = name === '' ? undefined : openTraceFile(name, trouble)
  return file === undefined ? { report, end() {} } : traceInto(file, options)
}

/** Files that could not be written; tools that share a process report each only once. */
const untraced = new Set<string>()

function traceInto(file: TraceFile, { tool, host, report }: TraceOptions): RunTrace {
  // Further tools of a process begin now, and not with the process.
  const startTime = lastRow === 0 ? host.startTime : undefined
  if (lastRow === 0) file.add({ ph: 'M', name: 'process_name', pid: process.pid, args: { name: tool } })
  const begin = traceRows(file)
  const since = startTime === undefined ? now() : Math.round(startTime * 1000)
  const endTool = begin({ kind: 'tool', name: tool, place: tool }, since)
  if (startTime !== undefined) begin({ kind: 'work', name: 'start' }, since)()
  const follow = stepTracer(begin)
  return {
    begin: (span) => begin(span),
    report(event) {
      follow(event)
      report(event)
    },
    end: () => endTool(),
  }
}

type AnySpan = Omit<Span, 'kind'> & { readonly kind: Span['kind'] | 'tool' | 'step' }

/** Row of a trace. Its spans never overlap. */
interface Row {
  readonly number: number
  isBusy: boolean
}

/** Number of the last row; rows of tools that share a process have different numbers. */
let lastRow = 0

type Begin = (span: AnySpan, since?: number) => EndSpan

/** Returns a function that begins a span in a free row of its place; a place has as many rows as spans at a time. */
function traceRows(file: TraceFile): Begin {
  const rows = new Map<string, Row[]>()
  const { pid } = process
  const freeRow = (place: string): Row => {
    const known = rows.get(place) ?? []
    const free = known.find(({ isBusy }) => !isBusy)
    if (free !== undefined) return free
    lastRow += 1
    const row = { number: lastRow, isBusy: false }
    rows.set(place, [...known, row])
    const name = known.length === 0 ? place : `${place} (${known.length + 1})`
    const named = { ph: 'M', pid, tid: row.number }
    file.add({ ...named, name: 'thread_name', args: { name } })
    file.add({ ...named, name: 'thread_sort_index', args: { sort_index: row.number } })
    return row
  }
  return ({ kind, name, place = 'coordinator', fields = {} }, since = now()) => {
    const row = freeRow(place)
    row.isBusy = true
    file.add({ ph: 'B', cat: kind, name, ts: since, pid, tid: row.number, args: fields })
    return (known: SpanFields = {}) => {
      row.isBusy = false
      file.add({ ph: 'E', ts: now(), pid, tid: row.number, args: known })
    }
  }
}

/** Microseconds since 1970. */
function now(): number {
  return Math.round((performance.timeOrigin + performance.now()) * 1000)
}

/** Traces steps, which are reported by their beginning and end. */
function stepTracer(begin: Begin): Report {
  const busy = new Map<string, EndSpan>()
  return (event) => {
    if (event.kind === 'started') busy.set(event.id, begin(stepSpan(event)))
    if (event.kind !== 'finished' && event.kind !== 'failed') return
    const { bytes } = { bytes: undefined, ...event }
    busy.get(event.id)?.({ outcome: event.kind, ...(bytes === undefined ? {} : { bytes }) })
    busy.delete(event.id)
  }
}

function stepSpan({ step, target, activity }: ReportedStep): AnySpan {
  if (activity === undefined) return { kind: 'step', name: step, place: target }
  const { kind, service, container } = activity
  return { kind: 'step', name: kind, place: target, fields: { service, container } }
}
