import type { Line } from '../drive/run.ts'

/** What a tool has said, as a line of its log; see docs/formats/log.md. */
export interface Said {
  readonly kind: string
  readonly tool: string
  /** Of a message or an error. */
  readonly code: string
  readonly fields: Readonly<Record<string, unknown>>
  /** When it was read. */
  readonly time: bigint
}

/** Nothing for what is no line of a log: other programs print as well. */
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

/** A field that is a text; an empty one where there is none. */
export function textIn({ fields }: Pick<Said, 'fields'>, name: string): string {
  const value = fields[name]
  return typeof value === 'string' ? value : ''
}

export function textsIn({ fields }: Pick<Said, 'fields'>, name: string): readonly string[] {
  const value = fields[name]
  return Array.isArray(value) ? value.map(String) : []
}

/** The log of a run for people. */
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
