/** A step of a trace of Nix, and its position. */
export interface RawFrame {
  readonly raw_msg?: string
  readonly file?: string | null
  readonly line?: number | null
  readonly column?: number | null
}

/** An entry of the log of `--log-format internal-json`. */
export interface LogEntry extends RawFrame {
  readonly action: string
  readonly id: number
  readonly type?: number
  readonly fields?: readonly unknown[]
  readonly text?: string
  readonly level?: number
  readonly msg?: string
  readonly trace?: readonly RawFrame[]
}

const PREFIX = '@nix '

/** Parses a log entry; nothing for other lines, since programs that Nix runs may print anything, and the last line may be cut off. */
export function parseLogEntry(line: string): LogEntry | undefined {
  if (!line.startsWith(PREFIX)) return undefined
  try {
    const value: unknown = JSON.parse(line.slice(PREFIX.length))
    return isEntry(value) ? value : undefined
  } catch {
    return undefined
  }
}

type Fields = Readonly<Record<string, unknown>>

function isEntry(value: unknown): value is LogEntry {
  if (!isFrame(value) || typeof value['action'] !== 'string') return false
  const { fields, trace } = value
  const areKinds = areAll(value, ['text', 'msg'], 'string') && areAll(value, ['id', 'type', 'level'], 'number')
  return areKinds && isListOf(fields, () => true) && isListOf(trace, isFrame)
}

function isListOf(value: unknown = [], isElement: (element: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isElement)
}

function isFrame(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null) return false
  const frame = value as Fields
  return areAll(frame, ['raw_msg', 'file'], 'string') && areAll(frame, ['line', 'column'], 'number')
}

function areAll(fields: Fields, names: readonly string[], type: 'string' | 'number'): boolean {
  return names.every((name) => {
    const isAbsent = fields[name] === undefined || (fields[name] === null && NULLABLE.has(name))
    return isAbsent || typeof fields[name] === type
  })
}

/** Fields that Nix sets to null if there is no position. */
const NULLABLE: ReadonlySet<string> = new Set(['file', 'line', 'column'])
