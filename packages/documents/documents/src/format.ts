import type { Diagnostic } from '@davit/diagnostics'
import type * as v from 'valibot'
import type { Spelling } from './xml/spelling.ts'

/** All there is to know of a kind of document; `parseDocument` and `encodeDocument` do the rest. */
export interface Format<Value> {
  /** The root element in XML and the field `document` in JSON. */
  readonly name: string
  /** For messages, with its article: `a manifest`. */
  readonly title: string
  readonly version: number
  /** What is read besides; the current version alone is written. */
  readonly olderVersions?: readonly OlderVersion[]
  /** Takes records as objects, and tables as objects or Maps. */
  readonly schema: v.GenericSchema<unknown, Value>
  /** Absent where a document is JSON only. */
  readonly xml?: Spelling
  /** The field that holds the value in JSON, for a value that is a table and has no room for `document` and `version`. */
  readonly jsonField?: string
  /** Whether a person may leave out `document` and `version`. */
  readonly header: 'required' | 'optional'
  /** Whether keys that mean nothing are refused, where people write it: they are misspelt. */
  readonly knowsAllKeys?: true
  /** The value as it is written, where that is less than the value. */
  written?(value: Value): unknown
  /** Cross-references that lead nowhere, and what else a schema cannot say. */
  check?(value: Value): readonly Diagnostic[]
}

/** A version as davit has written it before. */
export interface OlderVersion {
  readonly version: number
  /** Absent where it is spelled as the current one is. */
  readonly xml?: Spelling
  /**
   * The data as the current version would say it; tables are objects or Maps. What cannot be is left for the schema to refuse, with
   * the place of the nearest thing around it that both versions have.
   */
  read(data: unknown): unknown
}

/** How data of a version is read; unknown versions have been refused before. */
export function readingOf(format: Format<unknown>, version: unknown): Omit<OlderVersion, 'version'> {
  return format.olderVersions?.find((older) => older.version === version) ?? { read: (data) => data }
}
