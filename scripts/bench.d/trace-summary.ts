/** What a trace says about a run; see docs/formats/trace.md. */
export interface TraceSummary {
  /** Tools, connections, helpers, channels and requests: how many there were. */
  readonly counts: Readonly<Record<'tool' | 'connection' | 'helper' | 'channel' | 'request', number>>
  /** Bytes that davit sent to machines and received from them, and the size of the packages that it transferred. */
  readonly bytes: Readonly<Record<'out' | 'in' | 'packages', number>>
  readonly tools: readonly Total[]
  /** Everything else by kind and name, the longest first. Work that was done at the same time is added up. */
  readonly steps: readonly Total[]
  readonly spans: readonly TracedSpan[]
}

export interface Total {
  readonly name: string
  readonly count: number
  readonly milliseconds: number
}

export interface TracedSpan {
  readonly kind: string
  readonly name: string
  /** Microseconds since 1970. */
  readonly begin: number
  readonly end: number
  readonly fields: Readonly<Record<string, unknown>>
}

/** Sums up the text of a trace. Spans without an end are left out. */
export function summaryOf(text: string): TraceSummary {
  const spans = spansIn(JSON.parse(`${text.trimEnd().replace(/,$/, '')}]`) as readonly TraceEvent[])
  const count = (kind: string, name?: string) =>
    spans.filter((span) => span.kind === kind && (name === undefined || span.name === name)).length
  const sum = (field: string) => spans.reduce((total, { fields }) => total + Number(fields[field] ?? 0), 0)
  return {
    counts: {
      tool: count('tool'),
      connection: count('ssh', 'handshake'),
      helper: count('helper'),
      channel: count('channel'),
      request: count('request'),
    },
    bytes: { out: sum('out'), in: sum('in'), packages: sum('bytes') },
    tools: totals(spans.filter(({ kind }) => kind === 'tool')),
    steps: totals(spans.filter(({ kind }) => kind !== 'tool')).toSorted(
      (left, right) => right.milliseconds - left.milliseconds,
    ),
    spans,
  }
}

interface TraceEvent {
  readonly ph: string
  readonly cat?: string
  readonly name?: string
  readonly ts?: number
  readonly pid: number
  readonly tid: number
  readonly args?: Readonly<Record<string, unknown>>
}

function spansIn(events: readonly TraceEvent[]): readonly TracedSpan[] {
  const begun = new Map<string, TraceEvent>()
  return events.flatMap((event) => {
    const row = `${event.pid} ${event.tid}`
    if (event.ph === 'B') begun.set(row, event)
    const first = begun.get(row)
    if (event.ph !== 'E' || first === undefined) return []
    begun.delete(row)
    const { cat = '', name = '', ts = 0 } = first
    return [{ kind: cat, name, begin: ts, end: event.ts ?? ts, fields: { ...first.args, ...event.args } }]
  })
}

function totals(spans: readonly TracedSpan[]): readonly Total[] {
  const all = new Map<string, Total>()
  for (const span of spans) {
    const name = titleOf(span)
    const { count, milliseconds } = all.get(name) ?? { count: 0, milliseconds: 0 }
    all.set(name, { name, count: count + 1, milliseconds: milliseconds + (span.end - span.begin) / 1000 })
  }
  return [...all.values()]
}

/** Names of operations are those of requests and activities; steps are told apart by what is done, not to what. */
function titleOf({ kind, name }: TracedSpan): string {
  if (kind === 'request' || kind === 'activity') return `${kind} ${name}`
  return kind === 'step' ? `step ${name.split(' ')[0]}` : name
}
