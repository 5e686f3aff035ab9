import { Float } from '../float.ts'

/** Describes a value in a message: `'two'`, `a list`; long text is shortened. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return `'${shortened(value)}'`
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null && !(value instanceof Float)) return 'a table'
  return String(value)
}

/** Shortens text and keeps it on one line. */
export function shortened(text: string): string {
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
  return shown.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')
}

const MAX_SHOWN = 60
