import { MAX_DOCUMENT_DEPTH, MAX_XML_ELEMENTS } from '../text/limits.ts'
import { NOT_XML, type XmlElement } from './xml-element.ts'
import { decodeEntities, findEntityProblem } from './xml-entity.ts'

/** An element whose content is still being read. */
interface OpenElement extends XmlElement {
  children: XmlElement[]
  text: string
}

interface Reading {
  readonly text: string
  /** From the root to the innermost element that is open. */
  readonly open: OpenElement[]
  root?: XmlElement
  elements: number
}

/**
 * Reads XML without comments, CDATA sections, line ends of other systems and the like, as davit writes it, several times faster
 * than any XML. Returns undefined for all other texts, and for those with problems.
 */
export function readPlainXml(text: string): XmlElement | undefined {
  const start = text.includes('\r') || NOT_XML.test(text) ? undefined : DECLARATION.exec(text)?.[0].length
  const reading: Reading = { text, open: [], elements: 0 }
  return start !== undefined && readTags(reading, start) && reading.open.length === 0 ? reading.root : undefined
}

/** Reads tags, each with the text after it, to the end. */
function readTags(reading: Reading, start: number): boolean {
  const { text } = reading
  for (let next = start; next !== text.length;) {
    const end = text.indexOf('>', next)
    if (end === -1 || !readTag(reading, next, end)) return false
    const following = text.indexOf('<', end)
    next = following === -1 ? text.length : following
    if (!readText(reading, end + 1, next)) return false
  }
  return true
}

/** The declaration and white space; then an element must follow. */
const DECLARATION = /^(?:<\?xml[^<>?]*\?>)?\s*(?=<)/

function readTag(reading: Reading, start: number, end: number): boolean {
  const { text, open } = reading
  if (text[start + 1] !== '/') return readStart(reading, text.slice(start + 1, end))
  const { name } = open.pop() ?? { name: '' }
  return name !== '' && end === start + 2 + name.length && text.startsWith(name, start + 2)
}

function readStart(reading: Reading, tag: string): boolean {
  const isEmpty = tag.endsWith('/')
  const content = isEmpty ? tag.slice(0, -1) : tag
  const space = content.indexOf(' ')
  const name = nameIn(space === -1 ? content : content.slice(0, space))
  const attributes = space === -1 ? NO_ATTRIBUTES : attributesIn(content, space)
  if (name === undefined || attributes === undefined) return false
  const element: OpenElement = { name, attributes, children: NO_CHILDREN, text: '' }
  return isPlaced(reading, element) && (isEmpty || reading.open.push(element) < MAX_DOCUMENT_DEPTH)
}

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map()
/** Replaced before the first child is added. */
const NO_CHILDREN: XmlElement[] = []

function isPlaced(reading: Reading, element: OpenElement): boolean {
  const parent = reading.open.at(-1)
  reading.elements += 1
  if (reading.elements > MAX_XML_ELEMENTS) return false
  if (parent === undefined) {
    if (reading.root !== undefined) return false
    reading.root = element
  } else if (parent.children === NO_CHILDREN) parent.children = [element]
  else parent.children.push(element)
  return true
}

const NAME = /^[A-Za-z_][A-Za-z0-9_.-]*$/
const known = new Map<string, string>()
const MOST_KNOWN = 1_000

/**
 * Returns a name, as the same string for all elements: V8 finds members by such strings several times faster. Leaves names that
 * mean something in JavaScript to the other reader, which refuses some of them.
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

/** Reads the text before a tag; only blanks may be beside elements. */
function readText({ text, open }: Reading, start: number, end: number): boolean {
  if (start === end) return true
  const content = text.slice(start, end)
  const element = open.at(-1)
  const isLeaf = element?.children === NO_CHILDREN && text[end + 1] === '/'
  if (element === undefined || !isLeaf) return content.trim() === ''
  if (content.includes(']]>') || findEntityProblem(content) !== undefined) return false
  element.text = decodeEntities(content)
  return true
}
