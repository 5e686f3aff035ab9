import { renderSeconds, renderStep } from './render-event.ts'

/** A step that has begun but not ended. */
export interface BusyStep {
  readonly target: string | undefined
  readonly step: string
  /** When it began, in milliseconds. */
  readonly since: number
}

export interface Screen {
  readonly columns: number
  readonly rows: number
  /** Current time in milliseconds. */
  readonly now: number
}

/** Renders a line for each busy target, with its oldest step, on at most half of the screen. */
export function renderBusy(steps: Iterable<BusyStep>, screen: Screen): readonly string[] {
  const byTarget = new Map<string | undefined, BusyStep[]>()
  for (const step of steps) byTarget.set(step.target, [...(byTarget.get(step.target) ?? []), step])
  const lines = [...byTarget.values()].map((busy) => renderTarget(busy, screen))
  const room = Math.max(1, Math.floor(screen.rows / 2))
  if (lines.length <= room) return lines
  return [...lines.slice(0, room - 1), `… and ${lines.length - room + 1} more targets`]
}

function renderTarget(busy: readonly BusyStep[], { columns, now }: Screen): string {
  const [oldest, ...others] = busy.toSorted((left, right) => left.since - right.since)
  if (oldest === undefined) return ''
  const more = others.length === 0 ? '' : `, ${others.length} more`
  const tail = ` (${renderSeconds((now - oldest.since) / 1000)}${more})`
  const head = renderStep(oldest)
  // The last column stays free: some terminals wrap as soon as it is written.
  const room = Math.max(10, columns - 1 - tail.length)
  return `${head.length <= room ? head : `${head.slice(0, room - 1)}…`}${tail}`
}
