import {
  atPath,
  DavitError,
  type Diagnostic,
  ExitStatus,
  type Finding,
  type Path,
  type Place,
} from '@davit/diagnostics'
import {
  describe,
  located,
  NOT_XML,
  readXml,
  readXmlWithPlaces,
  type SourceText,
  writeAttribute,
  writeXml,
  type XmlElement,
} from '@davit/languages'
import { type DocumentReading, type Format, ignoredOf, readingOf } from '../format.ts'
import { checkHeader, makingOf } from '../checks/check-header.ts'
import { decodePlain } from './decode-plain.ts'
import { decodeXml } from './decode-xml.ts'
import { decodingOf } from './xml-decoding.ts'
import type { Spelling } from './spelling.ts'
import { encodeXml } from './encode-xml.ts'
import { unfitText } from './unfit-text.ts'

/** Reads an XML document: the name of the root element states what it is, and an attribute its version. */
export function readXmlDocument(format: Format<unknown>, source: SourceText): DocumentReading {
  return readPlainDocument(format, source) ?? readAnyDocument(format, source)
}

/** Reads a document as davit writes it, unless there is anything to tell about it. */
function readPlainDocument(format: Format<unknown>, source: SourceText): DocumentReading | undefined {
  const plain = decodePlain(source.text, ({ name, version: text }) => {
    const version = versionIn(text)
    if (checkHeader(format, { document: name, version }) !== undefined) return undefined
    return readingOf(format, version).xml ?? format.xml
  })
  if (plain === undefined) return undefined
  const { xml = format.xml, read } = readingOf(format, versionIn(plain.root.version))
  if (xml === undefined) return undefined
  return { content: { data: read(plain.data) }, diagnostics: [], locate: () => placesIn(source, xml), isComplete: true }
}

function readAnyDocument(format: Format<unknown>, source: SourceText): DocumentReading {
  const result = readXml(source)
  if ('problem' in result) return { diagnostics: [result.problem], locate: () => () => undefined }
  const { root } = result
  const version = versionIn(root.attributes.get('version'))
  const { xml = format.xml, read } = readingOf(format, version)
  if (xml === undefined) return strangeDocument(notXml(format, root), source)
  const strange = checkHeader(format, { document: root.name, version })
  if (strange !== undefined) return strangeDocument(strange, source)
  const decoding = decodingOf()
  const { data } = decodeXml(root, xml, decoding)
  const { problems, ignored } = decoding.found
  return {
    content: { data: read(data) },
    diagnostics: problems,
    locate: () => placesIn(source, xml),
    ignored: () => (ignored.length === 0 ? [] : ignoredIn(source, xml, format)),
    isComplete: true,
  }
}

/** Reads the text again, for the places of what was ignored. */
function ignoredIn(source: SourceText, xml: Spelling, format: Format<unknown>): Finding[] {
  const decoding = decodingOf()
  decodeXml(readXmlWithPlaces(source), xml, decoding)
  return decoding.found.ignored.map(({ path, name, offset = 0 }) => ({
    ...ignoredOf(path, name, format),
    place: source.placeAt(offset),
  }))
}

function strangeDocument(problem: Diagnostic, source: SourceText): DocumentReading {
  return { diagnostics: [problem], locate: () => () => source.placeAt(readXmlWithPlaces(source).offset ?? 0) }
}

export function writeXmlDocument(format: Format<unknown>, value: unknown): string {
  if (format.xml === undefined) {
    throw new DavitError('json-only', `${format.title} has no XML form`, {
      exitStatus: ExitStatus.usage,
      hint: 'write it as JSON',
    })
  }
  const attributes = writeAttribute('version', String(format.version))
  const text = writeXml(encodeXml(value, format.xml, { margin: '\n', name: format.name, attributes }))
  if (NOT_XML.test(text)) throw unfitText(value)
  return text
}

function notXml(format: Format<unknown>, { name }: XmlElement): Diagnostic {
  const message = `expected ${format.title}, which is always JSON, but got XML (${describe(name)})`
  return atPath([], message, makingOf(format))
}

function versionIn(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : text
}

function placesIn(source: SourceText, spelling: Spelling): (path: Path) => Place {
  const { data, node } = decodeXml(readXmlWithPlaces(source), spelling, decodingOf())
  return located(data, node, source).placeOf
}
