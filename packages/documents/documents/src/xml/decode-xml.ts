import { atPath } from '@davit/diagnostics'
import type { XmlElement } from '@davit/languages'
import type { Spelling, SpellingOf } from './spelling.ts'
import {
  type Decoded,
  type Decoding,
  decodeItems,
  decodeMembers,
  expectNoText,
  ignoreAttributes,
  ignoreOthers,
  nodeOf,
  textOf,
} from './xml-decoding.ts'
import { decodeProperties } from './decode-properties.ts'

/** Decodes an element by a spelling: records become objects, tables Maps. Unknown elements and attributes are ignored. */
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
function wholeNumber(text: string): number | string {
  return /^\s*-?\d+\s*$/.test(text) ? Number(text) : text
}

function decodeRecord(element: XmlElement, { fields }: SpellingOf<'record'>, decoding: Decoding): Decoded {
  expectNoText(element, decoding)
  const known = element.children.filter(({ name }) => fields.has(name))
  ignoreOthers(element, known, decoding)
  const { data, node } = decodeMembers(
    element,
    known.map((child) => [child.name, child]),
    {
      ...decoding,
      decode: (child, within) => decodeXml(child, fields.get(child.name) ?? { kind: 'text' }, within),
    },
  )
  return { data: Object.fromEntries(data), node }
}

function decodeTable(element: XmlElement, { element: name, entry }: SpellingOf<'table'>, decoding: Decoding): Decoded {
  expectNoText(element, decoding)
  const entries = element.children.filter((child) => child.name === name)
  ignoreOthers(element, entries, decoding)
  for (const child of entries) {
    if (!child.attributes.has('name'))
      decoding.problems.push(atPath(decoding.path, `a '${name}' has no attribute 'name'`))
  }
  return decodeMembers(
    element,
    entries.map((child) => [child.attributes.get('name'), child]),
    {
      ...decoding,
      decode: (child, within) => decodeXml(child, entry, within),
    },
  )
}

function decodeList(element: XmlElement, { item }: SpellingOf<'list'>, decoding: Decoding): Decoded {
  expectNoText(element, decoding)
  return decodeItems(element, element.children, {
    ...decoding,
    decode: (child, within) => decodeXml(child, item, within),
  })
}
