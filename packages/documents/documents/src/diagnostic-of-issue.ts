import { atPath, type Diagnostic } from '@davit/diagnostics'
import { describe, Float } from '@davit/languages'
import type * as v from 'valibot'

/** A diagnostic about a value or, with `part`, about the key at the end of its path. */
export type DiagnosticOfPart = Diagnostic & { readonly part?: 'key' }

/** Turns an issue of valibot into a diagnostic in davit's words. */
export function diagnosticOfIssue(issue: v.BaseIssue<unknown>): DiagnosticOfPart {
  const diagnostic = diagnosticAtPath(issue)
  return issue.path?.at(-1)?.origin === 'key' ? { ...diagnostic, part: 'key' } : diagnostic
}

function diagnosticAtPath(issue: v.BaseIssue<unknown>): Diagnostic {
  const path = (issue.path ?? []).map(({ key }) => key as string | number)
  const last = issue.path?.at(-1)
  if (last === undefined || issue.input !== undefined) return atPath(path, messageOf(issue))
  const parent: unknown = last.input
  if (Array.isArray(parent)) return atPath(path.slice(0, -1), 'expected a table, but got a list')
  return atPath(path.slice(0, -1), `'${String(last.key)}' is missing`)
}

const EXPECTED: ReadonlyMap<string, string> = new Map([
  ['string', 'expected text'],
  ['number', 'expected a number'],
  ['boolean', 'expected true or false'],
  ['array', 'expected a list'],
  ['object', 'expected a table'],
  ['integer', 'expected a whole number'],
])

/** Issues of texts with a pattern state what is valid, all others what was expected. */
function messageOf(issue: v.BaseIssue<unknown>): string {
  const input = describe(issue.input)
  const isInvalidText = issue.type === 'regex' || issue.type === 'max_length'
  return isInvalidText ? `${input} is not valid: ${issue.message}` : `${expectedBy(issue)}, but got ${input}`
}

function expectedBy(issue: v.BaseIssue<unknown>): string {
  if (issue.type === 'picklist')
    return `expected one of ${(issue.expected ?? '').replace(/[()]/g, '').replaceAll('"', "'").replaceAll(' |', ',')}`
  if (issue.input instanceof Float) return 'expected a whole number'
  if (issue.type === 'min_value') return `expected ${issue.expected ?? 'more'}`
  return EXPECTED.get(issue.type) ?? issue.message
}
