import { DavitError, type Diagnostic, ExitStatus, type Path, type Place } from '@davit/diagnostics'
import { invalidDocument, openSource, type ParseOptions, type PlaceOf, plainOfProgram } from '@davit/languages'
import * as v from 'valibot'
import type { DocumentReading, Format } from './format.ts'
import { type DiagnosticOfPart, diagnosticOfIssue } from './diagnostic-of-issue.ts'
import { makingOf } from './checks/check-header.ts'
import { checkKeys } from './checks/check-keys.ts'
import { readJsonDocument, writeJsonDocument } from './json-document.ts'
import { readXmlDocument, writeXmlDocument } from './xml/xml-document.ts'

/** Parses a document in XML or JSON. Throws `empty-document`, or `invalid-document` with all problems. */
export function parseDocument<Value>(format: Format<Value>, text: string, { file }: ParseOptions): Value {
  return valueOf(format, readDocument(format, text, file), file)
}

export function valueOf<Value>(format: Format<Value>, reading: DocumentReading, file: string): Value {
  const problems: DiagnosticOfPart[] = [...reading.diagnostics]
  if (reading.content !== undefined) {
    const outcome = validate(format, reading.content.data)
    if (outcome.kind === 'valid' && problems.length === 0) return outcome.value
    if (outcome.kind === 'invalid') problems.push(...outcome.diagnostics)
  }
  const title = `cannot read '${file}' as ${format.title}`
  throw invalidDocument(title, withPlaces(problems, reading.locate()), hintForLanguage(format, file))
}

/** Languages of models, by the names of their files. */
const LANGUAGES_OF_MODELS = /\.(?:ya?ml|nix|[cm]?[jt]s)$/

function hintForLanguage(format: Format<unknown>, file: string): string | undefined {
  if (!LANGUAGES_OF_MODELS.test(file)) return undefined
  const making = makingOf(format)
  if (making !== undefined && format.xml === undefined) return making
  const converting = `documents are read in XML and JSON only: 'davit-convert --to json ${file}' prints this one as JSON`
  return making === undefined ? converting : `${converting}; of models, ${making}`
}

export interface ValidateOptions extends ParseOptions {
  placeOf?(path: Path): Place | undefined
  placeOfKey?(path: Path): Place | undefined
}

/** Like `parseDocument` for data from elsewhere: YAML, or the result of a program. Tables may be objects or Maps. */
export function validateDocument<Value>(
  format: Format<Value>,
  data: unknown,
  { file, placeOf, placeOfKey }: ValidateOptions,
): Value {
  const outcome = validate(format, plainOfProgram(data, `cannot read '${file}' as ${format.title}`))
  if (outcome.kind === 'valid') return outcome.value
  const find: PlaceOf = (path, part) => (part === 'key' ? placeOfKey?.(path) : undefined) ?? placeOf?.(path) ?? { file }
  const diagnostics = withPlaces(outcome.diagnostics, find)
  throw invalidDocument(`cannot read '${file}' as ${format.title}`, diagnostics)
}

/** Returns the places of values in a text that `parseDocument` accepted; reads the text again. */
export function locateDocument(
  format: Format<unknown>,
  text: string,
  { file }: ParseOptions,
): (path: Path) => Place | undefined {
  return readDocument(format, text, file).locate()
}

/** Encodes a valid value as text that ends with a newline; the same value always gives the same bytes. */
export function encodeDocument<Value>(format: Format<Value>, value: Value, language: 'xml' | 'json'): string {
  const written = format.written === undefined ? value : format.written(value)
  return language === 'xml' ? writeXmlDocument(format, written) : writeJsonDocument(format, written)
}

/** Reads the text of a document in its language, and decides what it claims to be. */
export function readDocument(format: Format<unknown>, text: string, file: string): DocumentReading {
  const source = openSource(text, { file })
  const start = /[^\s]/.exec(source.text)?.[0]
  if (start === undefined) throw emptyDocument(file)
  if (start === '<') return readXmlDocument(format, source)
  if (start === '{') return readJsonDocument(format, source)
  const expected =
    format.xml === undefined
      ? "JSON, which begins with '{'"
      : "XML, which begins with '<', or JSON, which begins with '{'"
  const problem: Diagnostic = {
    severity: 'error',
    message: `expected ${expected}`,
    place: source.placeAt(source.text.indexOf(start)),
  }
  return { diagnostics: [problem], locate: () => () => undefined }
}

type Outcome<Value> =
  | { readonly kind: 'valid'; readonly value: Value }
  | { readonly kind: 'invalid'; readonly diagnostics: readonly DiagnosticOfPart[] }

function validate<Value>(format: Format<Value>, data: unknown): Outcome<Value> {
  const result = v.safeParse(format.schema, data)
  const unknown = format.knowsAllKeys && format.xml !== undefined ? checkKeys(data, format.xml) : []
  if (!result.success) return { kind: 'invalid', diagnostics: [...unknown, ...result.issues.map(diagnosticOfIssue)] }
  const diagnostics = [...unknown, ...(format.check?.(result.output) ?? [])]
  return diagnostics.length === 0 ? { kind: 'valid', value: result.output } : { kind: 'invalid', diagnostics }
}

function withPlaces(diagnostics: readonly DiagnosticOfPart[], placeOf: PlaceOf): Diagnostic[] {
  return diagnostics.map(({ part, ...diagnostic }) => {
    const place = diagnostic.place ?? placeOf(diagnostic.path ?? [], part)
    return place === undefined ? diagnostic : { ...diagnostic, place }
  })
}

/** Makes the error for a document without any text, which comes from a pipe as a rule. */
export function emptyDocument(file: string): DavitError {
  return new DavitError('empty-document', `'${file}' is empty`, {
    exitStatus: ExitStatus.noInput,
    hint: 'the previous tool in the pipe probably failed: see its message above',
  })
}
