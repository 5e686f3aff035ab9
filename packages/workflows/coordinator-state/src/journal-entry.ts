import { printable } from '@davit/diagnostics'

/** An entry of the journal that tools write when they act on a deployment: one line of JSON; see docs/formats/journal.md. */
export type JournalEntry = BeginEntry | StepEntry | MessageEntry | EndEntry

interface AnyEntry {
  /** Time in ISO 8601. */
  readonly time: string
  /** Identifies one execution of a tool. */
  readonly id: string
}

/** A tool begins to act: who runs it, where, and on what. */
export interface BeginEntry extends AnyEntry {
  readonly kind: 'begin'
  readonly version: 1
  /** Name of the run, which the steps of one deployment share. */
  readonly run: string
  readonly tool: string
  readonly profile: string
  /** SHA-256 of the text of the manifest, in hexadecimal. */
  readonly manifest?: string
  readonly user: string
  /** User who became `user` by means of sudo. */
  readonly sudoUser?: string
  readonly host: string
  readonly machineId: string
  readonly bootId: string
  readonly pid: number
  readonly startTime: number
  readonly namespace: string
}

export interface StepEntry extends AnyEntry {
  readonly kind: 'started' | 'finished' | 'failed'
  /** Connects the end of a step with its beginning. */
  readonly number: number
  readonly step: string
  readonly target?: string
  /** Activity of a lifecycle module. */
  readonly activity?: string
  readonly service?: string
  readonly container?: string
  readonly seconds?: number
  readonly message?: string
  /** End of the module's output. */
  readonly log?: string
}

export interface MessageEntry extends AnyEntry {
  readonly kind: 'note' | 'warning' | 'error'
  /** Stable code of a note or warning, for programs. */
  readonly code?: string
  readonly message: string
  readonly target?: string
  readonly hint?: string
  readonly generation?: number
}

export interface EndEntry extends AnyEntry {
  readonly kind: 'end'
  readonly status: number
  /** Code of the error that ended the tool. */
  readonly code?: string
  readonly message?: string
  /** Current generation on the coordinator, if the tool recorded one. */
  readonly generation?: number
}

/** Encodes an entry on one line, whatever its texts contain; long texts are cut. */
export function encodeEntry(entry: JournalEntry): string {
  const fields = Object.entries(entry).map(([name, value]) => [
    name,
    typeof value === 'string' ? cut(name, value) : value,
  ])
  return printable(JSON.stringify(Object.fromEntries(fields)))
}

/** Parses an entry; undefined if the line was cut off or damaged. Unknown fields and kinds are accepted. */
export function parseEntry(line: string): JournalEntry | undefined {
  const fields = fieldsIn(line)
  const kind = fields?.['kind']
  if (fields === undefined || typeof kind !== 'string') return undefined
  const required = ['time', 'id', ...(REQUIRED.get(kind) ?? [])]
  const isComplete = required.every((name) => fields[name] !== undefined)
  const isTyped = [...TYPES].every(([name, type]) => fields[name] === undefined || typeof fields[name] === type)
  const isTimed = !Number.isNaN(Date.parse(String(fields['time'])))
  return isComplete && isTyped && isTimed ? (fields as unknown as JournalEntry) : undefined
}

const MAX_TEXT = 2_000

/** Shortens a text. Of logs the end is kept, of other texts the beginning. */
function cut(name: string, text: string): string {
  if (text.length <= MAX_TEXT) return text
  return name === 'log' ? `…${text.slice(-MAX_TEXT)}` : `${text.slice(0, MAX_TEXT)}…`
}

function fieldsIn(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const fields: unknown = JSON.parse(line)
    return typeof fields === 'object' && fields !== null ? (fields as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

const TEXTS = ['time', 'id', 'run', 'tool', 'profile', 'manifest', 'user', 'sudoUser', 'host', 'machineId', 'bootId']
const MORE_TEXTS = ['namespace', 'step', 'target', 'activity', 'service', 'container', 'message', 'log', 'hint', 'code']
const NUMBERS = ['pid', 'startTime', 'number', 'seconds', 'status', 'generation']
const TYPES: ReadonlyMap<string, 'string' | 'number'> = new Map([
  ...[...TEXTS, ...MORE_TEXTS].map((name) => [name, 'string'] as const),
  ...NUMBERS.map((name) => [name, 'number'] as const),
])

const BEGIN = ['run', 'tool', 'profile', 'user', 'host', 'machineId', 'bootId', 'pid', 'startTime', 'namespace']
const STEP = ['number', 'step']
const MESSAGE = ['message']
const REQUIRED: ReadonlyMap<string, readonly string[]> = new Map([
  ['begin', BEGIN],
  ['started', STEP],
  ['finished', STEP],
  ['failed', STEP],
  ['note', MESSAGE],
  ['warning', MESSAGE],
  ['error', MESSAGE],
  ['end', ['status']],
])
