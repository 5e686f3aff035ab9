import type { XmlElement } from '@davit/languages'
import type { Spelling, SpellingOf } from './spelling.ts'
import {
  addMember,
  again,
  type Decoded,
  type Decoding,
  expectNoText,
  ignore,
  ignoreAttributes,
  inside,
  listOf,
  membersOf,
  nodeOf,
  nodesOf,
  report,
  textOf,
} from './xml-decoding.ts'
import { decodeProperties } from './decode-properties.ts'

/** Decodes an element by a spelling: records become objects, tables Maps. Unknown elements and attributes are recorded, and ignored. */
export function decodeXml(element: XmlElement, spelling: Spelling, decoding: Decoding): Decoded {
  ignoreAttributes(element, decoding)
  switch (spelling.kind) {
    case 'text':
      return { data: textOf(element, decoding), node: nodeOf(element) }
    case 'number':
      return { data: wholeNumber(textOf(element, decoding)), node: nodeOf(element) }
    case 'record':
      return decodeRecord(element, spelling, decoding)
    case 'list':
      return decodeList(element, spelling, decoding)
    case 'table':
      return decodeTable(element, spelling, decoding)
    case 'properties':
      return decodeProperties(element, decoding)
  }
}

/** Text that is not a whole number is returned unchanged, for the schema to refuse. */
export function wholeNumber(text: string): number | string {
  return /^\s*-?\d+\s*$/.test(text) ? Number(text) : text
}

function decodeRecord(element: XmlElement, { fields }: SpellingOf<'record'>, decoding: Decoding): Decoded {
  expectNoText(element, decoding)
  const data: Record<string, unknown> = {}
  const nodes = nodesOf(element)
  for (const child of element.children) {
    const { name } = child
    const spelling = fields.get(name)
    if (spelling === undefined) {
      ignore(name, child, decoding)
      continue
    }
    const within = Object.hasOwn(data, name) ? again(name, element, decoding) : inside(decoding, name)
    const decoded = decodeXml(child, spelling, within)
    if (within.step === name) data[name] = decoded.data
    nodes?.set(within.step, decoded.node)
  }
  return { data, node: nodeOf(element, nodes) }
}

function decodeTable(element: XmlElement, { element: name, entry }: SpellingOf<'table'>, decoding: Decoding): Decoded {
  const members = membersOf(element, decoding)
  for (const child of element.children) {
    const key = child.attributes.get('name')
    if (child.name !== name) ignore(child.name, child, decoding)
    else if (key === undefined) report(decoding, `a '${name}' has no attribute 'name'`)
    else addMember(members, key, (within) => decodeXml(child, entry, within))
  }
  return { data: members.data, node: nodeOf(element, members.nodes) }
}

function decodeList(element: XmlElement, { item }: SpellingOf<'list'>, decoding: Decoding): Decoded {
  expectNoText(element, decoding)
  return listOf(
    element,
    element.children.map((child, index) => decodeXml(child, item, inside(decoding, index))),
  )
}
