import type { Report } from '@davit/diagnostics'
import type { Data } from '@davit/languages'
import { mayBe } from './kind-of-data.ts'
import type { Likeness } from './likeness.ts'
import { say } from './messages.ts'

interface WarningTerms extends Likeness {
  readonly file: string
  readonly report: Report
}

/** Warns if data that could be read as what the user says look like something else. */
export function warnOfLikeness(data: Data, { wanted, seen, file, report }: WarningTerms): void {
  if (wanted === undefined || seen === undefined || wanted === seen || mayBe(data, wanted)) return
  report(say('looks-like', { file, seen: seen.title, wanted: wanted.title }))
}
