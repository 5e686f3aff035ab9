import type { Line } from '../drive/run.ts'

/** A message of a tool, read from a line of its log; see docs/formats/log.md. */
export interface Said {
  readonly kind: string
  readonly tool: string
  /** Code of a message or an error, else empty. */
  readonly code: string
  readonly fields: Readonly<Record<string, unknown>>
  /** Time when the line was read. */
  readonly time: bigint
}

/** Parses a line of the log. Returns undefined for output of other programs. */
export function saidIn({ text, time }: Line): Said | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    const fields = JSON.parse(text) as Readonly<Record<string, unknown>>
    const { kind, tool, code = '' } = fields as { kind: string; tool: string; code?: string }
    return { kind, tool, code, fields, time }
  } catch {
    return undefined
  }
}

/** Returns a text field, or an empty text if there is none. */
export function textIn({ fields }: Pick<Said, 'fields'>, name: string): string {
  const value = fields[name]
  return typeof value === 'string' ? value : ''
}

export function textsIn({ fields }: Pick<Said, 'fields'>, name: string): readonly string[] {
  const value = fields[name]
  return Array.isArray(value) ? value.map(String) : []
}

/** Renders a line of the log for people. */
export function readable({ text, time }: Line): string {
  const said = saidIn({ text, time })
  if (said === undefined) return text
  const { kind, tool, fields } = said
  const target = textIn(said, 'target')
  const words = [textIn(said, 'step'), textIn(said, 'message'), textIn(said, 'hint')].filter((word) => word !== '')
  const diagnostics = Array.isArray(fields['diagnostics']) ? (fields['diagnostics'] as { message?: string }[]) : []
  const reasons = diagnostics.map(({ message }) => message ?? '')
  return [`${tool} ${kind}${target === '' ? '' : ` [${target}]`} ${said.code}: ${words.join(' | ')}`, ...reasons].join(
    '\n  ',
  )
}
