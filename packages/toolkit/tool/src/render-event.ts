import {
  type Fields,
  type Message,
  messageLines,
  printable,
  printableLine,
  renderDiagnostic,
  type ReportEvent,
} from '@davit/diagnostics'

export type Verbosity = 'quiet' | 'normal' | 'verbose'

export interface EventStyle {
  readonly verbosity: Verbosity
  /** Duration of the step that ends with this event. */
  readonly seconds?: number | undefined
  /** Whether to show the log of a failed step, by default yes. The error that ends the tool shows it as well. */
  readonly logs?: 'show' | 'omit'
}

/** The parts of an event that are shown to people, without those for programs. */
export type ShownEvent = Exclude<ReportEvent, Message> | Omit<Message, 'code' | 'fields'>

/** Renders an event as lines for people, without newline at the end; undefined if it is not shown. */
export function renderEvent(event: ShownEvent, style: EventStyle): string | undefined {
  return isShown(event, style.verbosity) ? eventText(event, style) : undefined
}

export interface LogStyle extends EventStyle {
  /** Time in ISO 8601. */
  readonly time: string
  readonly tool: string
}

/** Renders an event as a line of JSON; see docs/formats/log.md. */
export function renderEventJson(event: ReportEvent, style: LogStyle): string | undefined {
  // Programs need the beginning of each step, so only -q omits it.
  const verbosity = event.kind === 'started' && style.verbosity === 'normal' ? 'verbose' : style.verbosity
  if (!isShown(event, verbosity)) return undefined
  const { kind, ...fields } = flat(event)
  const { time, tool } = style
  const seconds = style.seconds === undefined ? {} : { seconds: Number(style.seconds.toFixed(3)) }
  return printable(JSON.stringify({ time, kind, tool, ...fields, ...seconds }))
}

function flat(event: ReportEvent) {
  return event.kind === 'diagnostic' ? { ...withFields(event.diagnostic), kind: event.kind } : withFields(event)
}

/** Moves `fields` to the top level, as in a log. */
export function withFields<Said extends object>(said: Said | (Said & { readonly fields: Fields })): Said {
  if (!('fields' in said)) return said
  const { fields, ...rest } = said
  return { ...rest, ...fields } as unknown as Said
}

/** `[web1] activating web` */
export function renderStep({ target, step }: { readonly target?: string | undefined; readonly step: string }): string {
  return printableLine(`${prefix(target)}${step}`)
}

/** `12 s`, `3 min 5 s` */
export function renderSeconds(seconds: number): string {
  const whole = Math.floor(seconds)
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`
}

const SHOWN_FROM = {
  failed: 'quiet',
  warning: 'quiet',
  diagnostic: 'quiet',
  finished: 'normal',
  note: 'normal',
  started: 'verbose',
  detail: 'verbose',
} as const satisfies Record<ReportEvent['kind'], Verbosity>

const LEVEL = { quiet: 0, normal: 1, verbose: 2 } as const satisfies Record<Verbosity, number>

function isShown({ kind }: Pick<ReportEvent, 'kind'>, verbosity: Verbosity): boolean {
  return LEVEL[SHOWN_FROM[kind]] <= LEVEL[verbosity]
}

function eventText(event: ShownEvent, { seconds = 0, logs = 'show' }: EventStyle): string {
  switch (event.kind) {
    case 'started':
      return renderStep(event)
    case 'finished':
      return `${renderStep(event)}: done${seconds < LONG_SECONDS ? '' : ` after ${renderSeconds(seconds)}`}`
    case 'failed':
      return lines(`${renderStep(event)}: failed: ${event.message}`, logs === 'show' ? quoted(event.log) : [])
    case 'note':
    case 'detail':
      return lines(`${prefix(event.target)}${event.message}`)
    case 'warning':
      return lines(`${prefix(event.target)}warning: ${event.message}`, hint(event.hint))
    case 'diagnostic':
      return renderDiagnostic(event.diagnostic)
  }
}

/** Durations below this are not shown. */
const LONG_SECONDS = 2

function prefix(target: string | undefined): string {
  return target === undefined ? '' : printableLine(`[${target}] `)
}

function lines(message: string, more: readonly string[] = []): string {
  return [...messageLines(message), ...more].join('\n')
}

function quoted(log: string | undefined): string[] {
  const text = log?.trimEnd() ?? ''
  return text === ''
    ? []
    : text.split('\n').map((line) => `  | ${printableLine(line.trimEnd().replaceAll('\t', '    '))}`)
}

function hint(text: string | undefined): string[] {
  return text === undefined ? [] : [`  hint: ${printableLine(text)}`]
}
