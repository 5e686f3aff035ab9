import { enterChild, isAtEnd, notPlain, openPlainXml, type PlainXml, plainTextIn } from '@davit/languages'
import { scalarOf } from './decode-properties.ts'
import type { Spelling, SpellingOf } from './spelling.ts'
import { wholeNumber } from './decode-xml.ts'
import { ATTRIBUTES, decodingOf } from './xml-decoding.ts'

/** The root of a document. */
export interface PlainRoot {
  readonly name: string
  /** Its attribute. */
  readonly version: string | undefined
}

export interface PlainDocument {
  readonly root: PlainRoot
  readonly data: unknown
}

/**
 * Decodes a text as davit writes it, with the same result as `decodeXml`, without elements in between. Returns undefined for all
 * other texts, and for those in which `decodeXml` finds a problem or something to ignore.
 */
export function decodePlain(
  text: string,
  spellingOf: (root: PlainRoot) => Spelling | undefined,
): PlainDocument | undefined {
  const xml = openPlainXml(text)
  const name = xml.isPlain ? enterChild(xml, '') : undefined
  if (name === undefined) return undefined
  const root = { name, version: xml.attributes.get('version') }
  const spelling = spellingOf(root)
  if (spelling === undefined) return undefined
  const data = decode(xml, name, spelling)
  return isAtEnd(xml) ? { root, data } : undefined
}

/** Decodes the element that has been entered, and leaves it. */
function decode(xml: PlainXml, name: string, spelling: Spelling): unknown {
  refuseAttributes(xml)
  switch (spelling.kind) {
    case 'text':
      return plainTextIn(xml, name)
    case 'number':
      return wholeNumber(plainTextIn(xml, name))
    case 'record':
      return decodeRecord(xml, name, spelling)
    case 'list':
      return decodeList(xml, name, (child) => decode(xml, child, spelling.item))
    case 'table':
      return decodeTable(xml, name, (child) =>
        child === spelling.element ? decode(xml, child, spelling.entry) : notPlain(xml),
      )
    case 'properties':
      return decodeTable(xml, name, (child) => (child === 'property' ? decodeValue(xml, child) : notPlain(xml)))
  }
}

function refuseAttributes(xml: PlainXml): void {
  if (xml.attributes.size === 0) return
  for (const name of xml.attributes.keys()) if (!ATTRIBUTES.has(name)) notPlain(xml)
}

function decodeRecord(xml: PlainXml, name: string, { fields }: SpellingOf<'record'>): unknown {
  const data: Record<string, unknown> = {}
  for (let child = enterChild(xml, name); child !== undefined && xml.isPlain; child = enterChild(xml, name)) {
    const spelling = fields.get(child)
    if (spelling === undefined || Object.hasOwn(data, child)) notPlain(xml)
    else data[child] = decode(xml, child, spelling)
  }
  return data
}

function decodeList(xml: PlainXml, name: string, decodeItem: (child: string) => unknown): unknown {
  const data: unknown[] = []
  for (let child = enterChild(xml, name); child !== undefined && xml.isPlain; child = enterChild(xml, name))
    data.push(decodeItem(child))
  return data
}

function decodeTable(xml: PlainXml, name: string, decodeEntry: (child: string) => unknown): unknown {
  const data = new Map<string, unknown>()
  for (let child = enterChild(xml, name); child !== undefined && xml.isPlain; child = enterChild(xml, name)) {
    const key = xml.attributes.get('name')
    if (key === undefined || data.has(key)) notPlain(xml)
    else data.set(key, decodeEntry(child))
  }
  return data
}

function decodeValue(xml: PlainXml, name: string): unknown {
  const type = xml.attributes.get('type')
  if (type === undefined) return notPlain(xml)
  refuseAttributes(xml)
  if (type === 'attrs') return decode(xml, name, { kind: 'properties' })
  if (type === 'list') return decodeList(xml, name, (child) => decodeValue(xml, child))
  const decoding = decodingOf()
  const value = scalarOf(type, plainTextIn(xml, name), decoding)
  return decoding.found.problems.length === 0 ? value : notPlain(xml)
}
