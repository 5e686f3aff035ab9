import { suggestionFor } from '@davit/diagnostics'
import { compareText, describe, type Written } from '@davit/languages'
import type { StackCode } from '../codes.ts'
import { type FindingDetails, keyOf, type Spot } from '../finding.ts'

/** Takes a finding at a place of a text. */
export type ReportAt = (code: StackCode, subjects: readonly unknown[], at: Found) => void

export interface Found extends Omit<FindingDetails, 'place'> {
  readonly spot: Spot
}

/** Reads values whose shape is fixed, and reports those of another shape, with one code for a whole file. */
export interface Shapes {
  /** Members in the order of their keys; nothing at all counts as an empty table. */
  table(written: Written | undefined, what: string, hint?: string): readonly (readonly [string, Written])[]
  /** Any scalar as it is written. */
  text(written: Written | undefined, what: string): string | undefined
  truth(written: Written | undefined, what: string): boolean
  list(written: Written | undefined, what: string): readonly Written[]
  wrong(written: Written, message: string, hint?: string): void
  /** Warns of a key that is not among the known ones. */
  unknown(key: string, written: Written, known: readonly string[]): void
}

export function shapesFor(code: 'MU151' | 'MU152', report: ReportAt): Shapes {
  const wrong: Shapes['wrong'] = (written, message, hint) => {
    report(code, [], { spot: written, message, hint })
  }
  const expected = (written: Written, wanted: string, hint?: string) => {
    wrong(written, `${wanted}, but is ${describeWritten(written)}`, hint)
  }
  return {
    wrong,
    table(written, what, hint) {
      if (isNothing(written)) return []
      if (written.kind === 'table') return [...written.members].toSorted(([left], [right]) => compareText(left, right))
      expected(written, `${what} must be a table`, hint)
      return []
    },
    list(written, what) {
      if (isNothing(written)) return []
      if (written.kind === 'list') return written.items
      expected(written, `${what} must be a list`)
      return []
    },
    text(written, what) {
      if (isNothing(written)) return undefined
      if (written.kind === 'scalar') return written.text
      expected(written, `${what} must be text`)
      return undefined
    },
    truth(written, what) {
      if (isNothing(written)) return false
      if (written.kind === 'scalar' && typeof written.value === 'boolean') return written.value
      expected(written, `${what} must be true or false`)
      return false
    },
    unknown(key, written, known) {
      report('MU104', [key], { spot: keyOf(written), hint: suggestionFor(key, known) })
    },
  }
}

export function isNothing(written: Written | undefined): written is undefined {
  return written === undefined || (written.kind === 'scalar' && written.value === null)
}

function describeWritten(written: Written): string {
  if (written.kind === 'scalar') return describe(written.value)
  return written.kind === 'list' ? 'a list' : 'a table'
}
