import type { Diagnostic } from '@davit/diagnostics'
import { XMLParser } from 'fast-xml-parser'
import { MAX_DOCUMENT_DEPTH } from '../text/limits.ts'
import type { SourceText } from '../text/located.ts'
import { findXmlProblem } from './find-xml-problem.ts'
import type { XmlElement } from './xml-element.ts'
import { decodeEntities } from './xml-entity.ts'

/** Returns the root element of a well-formed text without DOCTYPE, or its first problem. */
export function readXml(source: SourceText): { readonly root: XmlElement } | { readonly problem: Diagnostic } {
  const problem = findXmlProblem(source)
  if (problem !== undefined) return { problem }
  try {
    return { root: parse(source.text, { captureMetaData: false }) }
  } catch (error) {
    // The parser refuses some names that mean something in JavaScript.
    const message = `cannot be read: ${error instanceof Error ? error.message : String(error)}`
    return { problem: { severity: 'error', message, place: { file: source.file } } }
  }
}

/** Like `readXml` for a text that it accepted, with the offset of every element; slower. */
export function readXmlWithPlaces(source: SourceText): XmlElement {
  return parse(source.text, { captureMetaData: true })
}

const TEXT = '#text'
const CDATA = '#cdata'
const ATTRIBUTES = ':@'

/** A node of fast-xml-parser with `preserveOrder`: one key, which is its name, and attributes. */
interface ParsedNode {
  readonly [name: string]: unknown
  readonly [metadata: symbol]: { readonly startIndex?: number } | undefined
}

function parse(text: string, options: { readonly captureMetaData: boolean }): XmlElement {
  const parser = new XMLParser({
    ...options,
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    textNodeName: TEXT,
    cdataPropName: CDATA,
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: false,
    processEntities: false,
    ignoreDeclaration: true,
    ignorePiTags: true,
    jPath: false,
    maxNestedTags: MAX_DOCUMENT_DEPTH,
  })
  const nodes = parser.parse(text) as ParsedNode[]
  const root = nodes.find((node) => !isText(node))
  if (root === undefined) throw new Error('no element')
  return elementOf(root)
}

function elementOf(node: ParsedNode): XmlElement {
  const name = Object.keys(node).find((key) => key !== ATTRIBUTES) ?? ''
  const nodes = node[name] as readonly ParsedNode[]
  const attributes = Object.entries((node[ATTRIBUTES] ?? {}) as Readonly<Record<string, string>>)
  const offset = node[XMLParser.getMetaDataSymbol() as symbol]?.startIndex
  const children = nodes.filter((child) => !isText(child)).map(elementOf)
  const text = nodes.map(textOf).join('')
  return {
    name,
    attributes: new Map(attributes.map(([key, value]) => [key, decodeEntities(value)])),
    children,
    text: children.length > 0 && text.trim() === '' ? '' : text,
    ...(offset === undefined ? {} : { offset }),
  }
}

function isText(node: ParsedNode): boolean {
  return Object.hasOwn(node, TEXT) || Object.hasOwn(node, CDATA)
}

function textOf(node: ParsedNode): string {
  if (Object.hasOwn(node, TEXT)) return decodeEntities(String(node[TEXT]))
  if (Object.hasOwn(node, CDATA))
    return (node[CDATA] as readonly ParsedNode[]).map((part) => String(part[TEXT])).join('')
  return ''
}
