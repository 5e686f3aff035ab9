import { atPath, type Diagnostic } from '@davit/diagnostics'
import { describe, Float } from '@davit/languages'
import type * as v from 'valibot'

/** Whether it is about a value, or about the key at the end of its path. */
export type DiagnosticOfPart = Diagnostic & { readonly part?: 'key' }

/** What valibot found, in the words of davit. */
export function diagnosticOfIssue(issue: v.BaseIssue<unknown>): DiagnosticOfPart {
  const diagnostic = diagnosticAtPath(issue)
  return issue.path?.at(-1)?.origin === 'key' ? { ...diagnostic, part: 'key' } : diagnostic
}

function diagnosticAtPath(issue: v.BaseIssue<unknown>): Diagnostic {
  const path = (issue.path ?? []).map(({ key }) => key as string | number)
  const last = issue.path?.at(-1)
  if (last === undefined || issue.input !== undefined)
    return atPath(path, `${messageOf(issue)}, but this is ${describe(issue.input)}`)
  const parent: unknown = last.input
  if (Array.isArray(parent)) return atPath(path.slice(0, -1), 'expected a table, but this is a list')
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

function messageOf(issue: v.BaseIssue<unknown>): string {
  if (issue.type === 'picklist')
    return `expected one of ${(issue.expected ?? '').replace(/[()]/g, '').replaceAll('"', "'").replaceAll(' |', ',')}`
  if (issue.input instanceof Float) return 'expected a whole number'
  if (issue.type === 'min_value') return `expected ${issue.expected ?? 'more'}`
  return EXPECTED.get(issue.type) ?? issue.message
}
