import { atPath, DavitError, type Diagnostic, ExitStatus } from '@davit/diagnostics'
import type { Format } from './format.ts'
import { checkHeader } from './header.ts'
import { located, type SourceText } from './located.ts'
import type { Reading } from './reading.ts'
import { decodeXml } from './xml-decoder.ts'
import type { Decoded } from './xml-decoding.ts'
import type { XmlElement } from './xml-element.ts'
import { encodeXml } from './xml-encoder.ts'
import { readXml, readXmlWithPlaces } from './xml-reader.ts'
import { writeXml } from './xml-writer.ts'

/** An XML document says what it is in the name of its root element, and its version in an attribute there. */
export function readXmlDocument(format: Format<unknown>, source: SourceText): Reading {
  const result = readXml(source)
  if ('problem' in result) return unreadable([result.problem])
  const strange = headerProblems(format, result.root)
  const rootPlace = () => () => source.placeAt(readXmlWithPlaces(source).offset ?? 0)
  if (strange.length > 0 || format.xml === undefined) return { diagnostics: strange, locate: rootPlace }
  const diagnostics: Diagnostic[] = []
  const { data } = decodeXml(result.root, format.xml, { path: [], problems: diagnostics })
  return { content: { data }, diagnostics, locate: () => placesOf(format, source) }
}

export function writeXmlDocument(format: Format<unknown>, value: unknown): string {
  if (format.xml === undefined) {
    throw new DavitError('json-only', `a ${format.title} has no form in XML`, {
      exitStatus: ExitStatus.usage,
      hint: 'write it as JSON',
    })
  }
  const attributes = [['version', String(format.version)]] as const
  return writeXml(encodeXml(value, format.xml, { name: format.name, path: [], attributes }))
}

function unreadable(diagnostics: readonly Diagnostic[]): Reading {
  return { diagnostics, locate: () => () => undefined }
}

function headerProblems(format: Format<unknown>, { name, attributes }: XmlElement): readonly Diagnostic[] {
  if (format.xml === undefined) return [atPath([], `expected a ${format.title}, which is JSON, but this is XML ('${name}')`)]
  const version = attributes.get('version')
  return checkHeader(format, { document: name, version: version !== undefined && /^\d+$/.test(version) ? Number(version) : version })
}

function placesOf(format: Format<unknown>, source: SourceText) {
  const decoded: Decoded = format.xml === undefined
    ? { data: undefined, node: { offset: 0 } }
    : decodeXml(readXmlWithPlaces(source), format.xml, { path: [], problems: [] })
  return located(decoded.data, decoded.node, source).placeOf
}
