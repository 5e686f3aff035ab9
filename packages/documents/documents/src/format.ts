import { type Diagnostic, type Finding, type Path, quoted } from '@davit/diagnostics'
import type { Reading } from '@davit/languages'
import type * as v from 'valibot'
import type { Spelling } from './xml/spelling.ts'

/** Describes a kind of document; `parseDocument` and `encodeDocument` do the rest. */
export interface Format<Value> {
  /** Root element in XML, field `document` in JSON. */
  readonly name: string
  /** Name in messages, with its article: `a manifest`. */
  readonly title: string
  readonly version: number
  /** Command that makes one, for whoever passes something else. */
  readonly madeBy?: string
  /** Older versions that are also read; only the current one is written. */
  readonly olderVersions?: readonly OlderVersion[]
  /** Schema of the value; accepts records as objects, and tables as objects or Maps. */
  readonly schema: v.GenericSchema<unknown, Value>
  /** Absent for documents that are JSON only. */
  readonly xml?: Spelling
  /** Field that contains the value in JSON, if the value is a table and so has no room for `document` and `version`. */
  readonly jsonField?: string
  /** Whether `document` and `version` may be left out, which documents written by people allow. */
  readonly header: 'required' | 'optional'
  /** Refuses unknown keys in documents that people write: they are misspelt. */
  readonly knowsAllKeys?: true
  /** Returns the value as it is written, if parts of it are left out. */
  written?(value: Value): unknown
  /** Finds dangling references, and whatever else a schema cannot express. */
  check?(value: Value): readonly Diagnostic[]
}

/** A version that an earlier davit wrote. */
export interface OlderVersion {
  readonly version: number
  /** Absent if it is spelled like the current version. */
  readonly xml?: Spelling
  /**
   * Converts data to the current version; tables are objects or Maps. Invalid values are left for the schema to refuse, at the place
   * of the innermost value around them that both versions have.
   */
  read(data: unknown): unknown
}

/** Returns how to read data of a version; unknown versions have been refused before. */
export function readingOf(format: Format<unknown>, version: unknown): Omit<OlderVersion, 'version'> {
  return format.olderVersions?.find((older) => older.version === version) ?? { read: (data) => data }
}

/** The result of reading a text as a document. */
export interface DocumentReading extends Reading {
  /** Finds what the language of the text allows, but readers of documents ignore. */
  ignored?(): readonly Finding[]
  /** Whether `ignored` finds all that the value will not have. */
  readonly isComplete?: true
}

/** Reports something that a document contains and its readers ignore. */
export function ignoredOf(path: Path, name: string, { title }: Format<unknown>): Finding {
  return { path, message: `davit does not read ${quoted(name)} in ${title}` }
}
