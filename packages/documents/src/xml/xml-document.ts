import { atPath, DavitError, type Diagnostic, ExitStatus, type Path, type Place } from '@davit/diagnostics'
import {
  describe,
  located,
  type Reading,
  readXml,
  readXmlWithPlaces,
  type SourceText,
  writeXml,
  type XmlElement,
} from '@davit/languages'
import type { Format } from '../format.ts'
import { checkHeader } from '../checks/check-header.ts'
import { decodeXml } from './decode-xml.ts'
import type { Spelling } from './spelling.ts'
import { encodeXml } from './encode-xml.ts'

/** An XML document says what it is in the name of its root element, and its version in an attribute there. */
export function readXmlDocument(format: Format<unknown>, source: SourceText): Reading {
  const result = readXml(source)
  if ('problem' in result) return { diagnostics: [result.problem], locate: () => () => undefined }
  const { xml } = format
  const strange = xml === undefined ? notXml(format, result.root) : headerProblem(format, result.root)
  if (xml === undefined || strange !== undefined) {
    const diagnostics = strange === undefined ? [] : [strange]
    return { diagnostics, locate: () => () => source.placeAt(readXmlWithPlaces(source).offset ?? 0) }
  }
  const diagnostics: Diagnostic[] = []
  const { data } = decodeXml(result.root, xml, { path: [], problems: diagnostics })
  return { content: { data }, diagnostics, locate: () => placesIn(source, xml) }
}

export function writeXmlDocument(format: Format<unknown>, value: unknown): string {
  if (format.xml === undefined) {
    throw new DavitError('json-only', `${format.title} has no form in XML`, {
      exitStatus: ExitStatus.usage,
      hint: 'write it as JSON',
    })
  }
  const attributes = [['version', String(format.version)]] as const
  return writeXml(encodeXml(value, format.xml, { name: format.name, path: [], attributes }))
}

function notXml({ title }: Format<unknown>, { name }: XmlElement): Diagnostic {
  return atPath([], `expected ${title}, which is JSON, but this is XML (${describe(name)})`)
}

function headerProblem(format: Format<unknown>, { name, attributes }: XmlElement): Diagnostic | undefined {
  const version = attributes.get('version')
  const isNumber = version !== undefined && /^\d+$/.test(version)
  return checkHeader(format, { document: name, version: isNumber ? Number(version) : version })
}

function placesIn(source: SourceText, spelling: Spelling): (path: Path) => Place {
  const { data, node } = decodeXml(readXmlWithPlaces(source), spelling, { path: [], problems: [] })
  return located(data, node, source).placeOf
}
