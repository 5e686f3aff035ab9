import type { Finding, Path, Place } from '@davit/diagnostics'
import type { Kind } from './kinds.ts'

/** What was read, in whatever language. */
export interface Content {
  readonly kind: Kind
  /** Valid by the format of the kind; data for kinds without one. */
  readonly value: unknown
  /** What was read and is not part of the value. */
  readonly leftOut: readonly Finding[]
  /** Finds the place of a part of the value; may read the text again. */
  placeOf(path: Path): Place | undefined
}

/** Orders findings as they are in their file. */
export function inOrder(findings: readonly Finding[]): readonly Finding[] {
  const lineOf = ({ place }: Finding) => place?.line ?? 0
  const columnOf = ({ place }: Finding) => place?.column ?? 0
  return findings.toSorted((left, right) => lineOf(left) - lineOf(right) || columnOf(left) - columnOf(right))
}
