import type { ParsedTemplate } from '@davit/go-template'
import type { filledParser, WrittenReading } from '@davit/languages'
import type { Body } from '../mufile/body.ts'
import type { FullReference } from '../references/reference.ts'

/** A stack file that was read; the same object for the same path. */
export interface StackFile {
  readonly path: string
  /** Name in messages. */
  readonly shown: string
  readonly text: string
  readonly language: 'json' | 'yaml'
  /** Directory that its templates and packages must not leave. */
  readonly boundary: string
  /** What the file states without templates, its base included. */
  readonly stated: ReadonlyMap<string, string>
  /** Commit from which it was fetched. */
  readonly commit: string | undefined
}

/** A stack file with what has been read from it, by the text that its template expands to. */
export interface ReadableFile extends StackFile {
  /** Undefined for a template. */
  readonly plain: WrittenReading | undefined
  readonly readings: Map<string, Body | undefined>
  /** Parses what its template expands to. */
  readonly parse: ReturnType<typeof filledParser>
  /** Undefined if it was not expanded yet. */
  template?: ParsedTemplate
}

/** A place in which a stack was looked up and found. */
export interface FoundStack {
  readonly file: ReadableFile
  readonly reference: FullReference
  /** Canonical reference with the version that was found. */
  readonly pinned: string
}
