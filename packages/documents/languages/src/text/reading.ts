import type { Diagnostic, Path, Place } from '@davit/diagnostics'

/** Of a value, or of its key. */
export type PlaceOf = (path: Path, part?: 'key') => Place | undefined

/** A text read as far as its language goes: what it says, and what is wrong with it. */
export interface Reading {
  /** Absent when the text cannot be read at all. */
  readonly content?: { readonly data: unknown }
  /** Those with a path and no place get theirs from `locate`. */
  readonly diagnostics: readonly Diagnostic[]
  /** Reads the text once more to learn its places: only for when something is wrong. */
  locate(): PlaceOf
}
