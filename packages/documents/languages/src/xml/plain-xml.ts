import { MAX_DOCUMENT_DEPTH, MAX_XML_ELEMENTS } from '../text/limits.ts'
import { NOT_XML } from './xml-element.ts'
import { decodeEntities, findEntityProblem } from './xml-entity.ts'

/**
 * A text that is being read element by element: XML without comments, CDATA sections, line ends of other systems and the like, as
 * davit writes it. Reading it takes a fraction of the time and memory of reading any XML. Of all other texts, and those with
 * problems, `isPlain` becomes false; what was read of them means nothing.
 */
export interface PlainXml {
  readonly text: string
  isPlain: boolean
  /** Offset of what is read next. */
  at: number
  /** Attributes of the element that was entered last. */
  attributes: ReadonlyMap<string, string>
  /** Whether that element is one without an end tag. */
  isEmpty: boolean
  depth: number
  elements: number
}

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map()

/** The declaration and white space; then an element must follow. */
const DECLARATION = /^(?:<\?xml[^<>?]*\?>)?\s*(?=<)/

/** Begins to read a text; `enterChild` then enters its root. */
export function openPlainXml(text: string): PlainXml {
  const start = text.includes('\r') || NOT_XML.test(text) ? undefined : DECLARATION.exec(text)?.[0].length
  const isPlain = start !== undefined
  return { text, isPlain, at: start ?? 0, attributes: NO_ATTRIBUTES, isEmpty: false, depth: 0, elements: 0 }
}

/** Enters the next child of the element that has been entered, and returns its name; after the last child, leaves the element. */
export function enterChild(xml: PlainXml, parent: string): string | undefined {
  if (xml.isEmpty) return leaveEmpty(xml)
  skipBlanks(xml)
  const { text, at } = xml
  if (text.charCodeAt(at) !== LESS) return notPlain(xml)
  return text.charCodeAt(at + 1) === SLASH ? leave(xml, parent) : enter(xml)
}

/** Returns the text of the element that has been entered, which contains no elements, and leaves it. */
export function plainTextIn(xml: PlainXml, name: string): string {
  if (xml.isEmpty) return leaveEmpty(xml) ?? ''
  const { text, at } = xml
  const end = text.indexOf('<', at)
  const content = text.slice(at, end)
  if (end === -1 || content.includes(']]>') || findEntityProblem(content) !== undefined) notPlain(xml)
  else if (text.charCodeAt(end + 1) !== SLASH) notPlain(xml)
  xml.at = end
  leave(xml, name)
  return decodeEntities(content)
}

/** Whether the text was read to its end, after the root was left. */
export function isAtEnd(xml: PlainXml): boolean {
  skipBlanks(xml)
  return xml.isPlain && xml.at === xml.text.length
}

export function notPlain(xml: PlainXml): undefined {
  xml.isPlain = false
}

const LESS = 0x3c
const SLASH = 0x2f
const BLANKS = /[ \n\t]*/y

function skipBlanks(xml: PlainXml): void {
  BLANKS.lastIndex = xml.at
  BLANKS.test(xml.text)
  xml.at = BLANKS.lastIndex
}

function leaveEmpty(xml: PlainXml): undefined {
  xml.isEmpty = false
  xml.depth -= 1
}

function leave(xml: PlainXml, name: string): undefined {
  const { text, at } = xml
  const end = at + 2 + name.length
  if (!text.startsWith(name, at + 2) || text[end] !== '>') return notPlain(xml)
  xml.at = end + 1
  xml.depth -= 1
}

function enter(xml: PlainXml): string | undefined {
  const { text, at } = xml
  const end = text.indexOf('>', at)
  xml.depth += 1
  xml.elements += 1
  if (end === -1 || xml.depth > MAX_DOCUMENT_DEPTH || xml.elements > MAX_XML_ELEMENTS) return notPlain(xml)
  xml.at = end + 1
  xml.isEmpty = text.charCodeAt(end - 1) === SLASH
  return readTag(xml, text.slice(at + 1, xml.isEmpty ? end - 1 : end))
}

function readTag(xml: PlainXml, tag: string): string | undefined {
  const space = tag.indexOf(' ')
  const attributes = space === -1 ? NO_ATTRIBUTES : attributesIn(tag, space)
  if (attributes === undefined) return notPlain(xml)
  xml.attributes = attributes
  return nameIn(space === -1 ? tag : tag.slice(0, space)) ?? notPlain(xml)
}

const NAME = /^[A-Za-z_][A-Za-z0-9_.-]*$/
const known = new Map<string, string>()
const MOST_KNOWN = 1_000

/**
 * Returns a name, as the same string for all elements: V8 finds members by such strings several times faster. Names that mean
 * something in JavaScript are not plain, since the reader of any XML refuses some of them.
 */
function nameIn(text: string): string | undefined {
  const same = known.get(text)
  if (same !== undefined) return same
  if (!NAME.test(text) || text in Object.prototype || text === 'prototype') return undefined
  // The name of a member is no part of a longer text, which would be kept with it.
  const [name = text] = Object.keys({ [text]: true })
  if (known.size < MOST_KNOWN) known.set(name, name)
  return name
}

const ATTRIBUTE = / ([^\s=]+)="([^"<\n\t]*)"/y

function attributesIn(tag: string, start: number): ReadonlyMap<string, string> | undefined {
  const attributes = new Map<string, string>()
  ATTRIBUTE.lastIndex = start
  for (let from = start; from < tag.length; from = ATTRIBUTE.lastIndex) {
    const [, word = '', value = ''] = ATTRIBUTE.exec(tag) ?? []
    const name = nameIn(word)
    if (name === undefined || attributes.has(name) || findEntityProblem(value) !== undefined) return undefined
    attributes.set(name, decodeEntities(value))
  }
  return attributes
}
