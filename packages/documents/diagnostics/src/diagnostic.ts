import type { Message } from './message-table.ts'
import { messageLines, printableLine } from './printable.ts'

/** Line and column count from 1; columns count UTF-16 units. */
export interface Place {
  readonly file: string
  readonly line?: number
  readonly column?: number
  /** The source line, shown below the message. */
  readonly text?: string
}

/** Keys and indexes that lead from the root of a document to a value. */
export type Path = readonly (string | number)[]

/** One sentence about something wrong or odd in a document. */
export interface Finding {
  readonly message: string
  readonly place?: Place
  /** Path in the document; shown when the place has no line. */
  readonly path?: Path
  readonly hint?: string
}

/** A finding of a compiler, which has a code of its own, and the values that its sentence quotes, in a fixed order. */
export interface CodedFinding extends Finding {
  readonly severity: 'error' | 'warning'
  readonly code: string
  readonly subjects: readonly unknown[]
}

/** A warning has the code and fields of its row in a table of messages; errors share the code of the DavitError that carries them. */
export type Diagnostic =
  | (Finding & { readonly severity: 'error' })
  | (Finding & { readonly severity: 'warning' } & Pick<Message, 'code' | 'fields'>)
  | CodedFinding

/** Turns a warning of a table of messages into a diagnostic with a place. */
export function asDiagnostic(
  { code, message, hint, fields }: Message,
  where: Pick<Finding, 'place' | 'path'>,
): Diagnostic {
  return { severity: 'warning', code, message, fields, ...where, ...(hint === undefined ? {} : { hint }) }
}

/** Makes an error at a path of a document; whoever has the text adds the place. */
export function atPath(path: Path, message: string, hint?: string): Diagnostic {
  return { severity: 'error', message, path, ...(hint === undefined ? {} : { hint }) }
}

/** The parts of a diagnostic that are shown to people. */
type ShownDiagnostic = Finding & Pick<Diagnostic, 'severity'> & Partial<Pick<CodedFinding, 'code' | 'subjects'>>

export function renderDiagnostic(diagnostic: ShownDiagnostic): string {
  const { place, severity, message, hint, code, subjects } = diagnostic
  const prefix = subjects === undefined ? '' : `${code}: `
  const [head = '', ...rest] = messageLines(bounded(message))
  const lines = [`${renderPlace(diagnostic)}${severity}: ${prefix}${head}`, ...rest]
  if (place?.text !== undefined) lines.push(...renderSourceLine(place.text, place.column))
  if (hint !== undefined) lines.push(`  hint: ${printableLine(bounded(hint))}`)
  return lines.join('\n')
}

/** Values of a document that a message quotes can be of any length. */
const MAX_SHOWN = 2_000

function bounded(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

/** Formats a path: `services.web.dependsOn[0]`. */
export function renderPath(path: Path): string {
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`
      if (/^[A-Za-z_][\w-]*$/.test(step)) return index === 0 ? step : `.${step}`
      return `[${JSON.stringify(step)}]`
    })
    .join('')
}

function renderPlace({ place, path }: Finding): string {
  if (place?.line !== undefined) {
    return `${printableLine(place.file)}:${place.line}:${place.column === undefined ? '' : `${place.column}:`} `
  }
  const file = place === undefined ? '' : `${printableLine(place.file)}: `
  return path === undefined || path.length === 0 ? file : `${file}${printableLine(bounded(renderPath(path)))}: `
}

const MAX_SOURCE_COLUMNS = 160

/** Returns the line, or the part of it around the column, and a mark below the column. */
function renderSourceLine(text: string, column = 1): string[] {
  const start = Math.max(0, column - 1 - MAX_SOURCE_COLUMNS / 2)
  const visible = (from: number, to: number) => printableLine(text.slice(from, to).replaceAll('\t', ' '))
  const before = visible(start, column - 1)
  return [`  ${before}${visible(column - 1, start + MAX_SOURCE_COLUMNS)}`, `  ${' '.repeat(before.length)}^`]
}
