import { type Diagnostic, type Path, suggestionFor } from '@davit/diagnostics'
import { describe } from '@davit/languages'
import type { DiagnosticOfPart } from '../diagnostic-of-issue.ts'
import type { Spelling } from '../xml/spelling.ts'

/** Finds unknown keys in what a person wrote: a misspelt section must not be ignored silently. */
export function checkKeys(data: unknown, spelling: Spelling, path: Path = []): DiagnosticOfPart[] {
  if (spelling.kind === 'record') return checkRecord(data, spelling.fields, path)
  if (spelling.kind === 'list')
    return entriesOf(data).flatMap(([index, item]) => checkKeys(item, spelling.item, [...path, Number(index)]))
  if (spelling.kind !== 'table') return []
  return entriesOf(data).flatMap(([name, entry]) => checkKeys(entry, spelling.entry, [...path, name]))
}

function checkRecord(data: unknown, fields: ReadonlyMap<string, Spelling>, path: Path): DiagnosticOfPart[] {
  if (Array.isArray(data)) return []
  return entriesOf(data).flatMap(([name, value]) => {
    const field = fields.get(name)
    if (field !== undefined) return checkKeys(value, field, [...path, name])
    return path.length === 0 && HEADER.has(name) ? [] : [unknownKey(name, [...fields.keys()], path)]
  })
}

const HEADER: ReadonlySet<string> = new Set(['document', 'version'])

function unknownKey(name: string, known: readonly string[], path: Path): Diagnostic & { readonly part: 'key' } {
  const hint = suggestionFor(name, known) ?? `known keys: ${known.join(', ')}`
  return {
    severity: 'error',
    message: `unknown key ${describe(name)}`,
    path: [...path, name],
    hint,
    part: 'key',
  }
}

function entriesOf(data: unknown): [string, unknown][] {
  return typeof data === 'object' && data !== null ? Object.entries(data) : []
}
