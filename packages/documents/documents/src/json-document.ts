import { atPath, type Place } from '@davit/diagnostics'
import { readJson, type SourceText, writeJson } from '@davit/languages'
import { type DocumentReading, type Format, ignoredOf, readingOf } from './format.ts'
import { checkHeader } from './checks/check-header.ts'

/** Reads a JSON document: `document` and `version` state what it is, and its other fields are those of the value. */
export function readJsonDocument(format: Format<unknown>, source: SourceText): DocumentReading {
  const reading = readJson(source)
  if (reading.content === undefined) return reading
  const { diagnostics, locate } = reading
  const fields = reading.content.data as Readonly<Record<string, unknown>>
  const strange = checkHeader(format, { document: fields.document, version: fields.version })
  if (strange !== undefined) return { diagnostics: [...diagnostics, strange], locate }
  const { jsonField } = format
  const { read } = readingOf(format, fields.version)
  if (jsonField === undefined) return { ...reading, content: { data: read(fields) } }
  const data = fields[jsonField]
  if (data === undefined) return { diagnostics: [...diagnostics, atPath([], `'${jsonField}' is missing`)], locate }
  return {
    content: { data: read(data) },
    diagnostics,
    locate() {
      const placeOf = locate()
      return (path, part) => placeOf([jsonField, ...path], part)
    },
    ignored() {
      const others = Object.keys(fields).filter((name) => !['document', 'version', jsonField].includes(name))
      const placeOf = others.length === 0 ? undefined : locate()
      return others.map((name) => ({ ...ignoredOf([name], name, format), ...placed(placeOf?.([name], 'key')) }))
    },
  }
}

function placed(place: Place | undefined): { readonly place?: Place } {
  return place === undefined ? {} : { place }
}

/** Writes a JSON document: `document` and `version` first, then all other keys in order. */
export function writeJsonDocument(format: Format<unknown>, value: unknown): string {
  const fields = format.jsonField === undefined ? (value as object) : { [format.jsonField]: value }
  const header = `{\n  "document": ${writeJson(format.name)},\n  "version": ${format.version}`
  const body = writeJson(fields)
  return body === '{}' ? `${header}\n}\n` : `${header},${body.slice(1)}\n`
}
