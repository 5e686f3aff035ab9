import type { CodedFinding, Place } from '@davit/diagnostics'
import type { Written } from '@davit/languages'
import { CODES, type StackCode } from './codes.ts'
import { hintFor } from './hints.ts'

/** Something wrong or odd in stack files; all of them have a code and subjects. */
export type StackFinding = CodedFinding & { readonly code: StackCode }

export interface FindingDetails {
  readonly place?: Place | undefined
  readonly hint?: string | undefined
  /** A sentence that says more than that of the code. */
  readonly message?: string | undefined
}

/** Makes a finding of the table of codes; tests and programs go by code and subjects. */
export function finding(code: StackCode, subjects: readonly unknown[], details: FindingDetails = {}): StackFinding {
  const { severity, text } = CODES[code] as (typeof CODES)[StackCode] & { text(...given: readonly unknown[]): string }
  const { place, hint = hintFor(code, subjects), message = text(...subjects) } = details
  const shown = { ...(place === undefined ? {} : { place }), ...(hint === undefined ? {} : { hint }) }
  return { severity, code, subjects, message, ...shown }
}

/** Where something is in a text; the place is only worked out if it is shown. */
export interface Spot {
  readonly source: Written['source']
  readonly offset: number
}

export function placeOf({ source, offset }: Spot): Place {
  return source.placeAt(offset)
}

/** Where the key of a value is; where the value is, if it has none. */
export function keyOf({ source, offset, keyOffset }: Written): Spot {
  return { source, offset: keyOffset ?? offset }
}
