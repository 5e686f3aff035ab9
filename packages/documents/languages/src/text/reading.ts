import type { Diagnostic, Path, Place } from '@davit/diagnostics'

/** Returns the place of a value, or of its key. */
export type PlaceOf = (path: Path, part?: 'key') => Place | undefined

/** The result of reading a text in its language: its content and its problems. */
export interface Reading {
  /** Absent when the text cannot be read. */
  readonly content?: { readonly data: unknown }
  /** Diagnostics with a path but no place get their place from `locate`. */
  readonly diagnostics: readonly Diagnostic[]
  /** Reads the text again to find places; only called when something is wrong. */
  locate(): PlaceOf
}
