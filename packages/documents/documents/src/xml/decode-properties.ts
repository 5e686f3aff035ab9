import { describe, Float, parseNumber, type XmlElement } from '@davit/languages'
import {
  addMember,
  type Decoded,
  type Decoding,
  expectNoText,
  ignore,
  ignoreAttributes,
  inside,
  listOf,
  membersOf,
  nodeOf,
  report,
  textOf,
} from './xml-decoding.ts'

/** Decodes free-form data. As in the original toolset, a property or list member without `type` is ignored. */
export function decodeProperties(element: XmlElement, decoding: Decoding): Decoded {
  const members = membersOf(element, decoding)
  for (const child of element.children) {
    const name = child.attributes.get('name')
    if (child.name !== 'property' || !child.attributes.has('type')) ignore(child.name, child, decoding)
    else if (name === undefined) report(decoding, "a 'property' has no attribute 'name'")
    else addMember(members, name, (within) => decodeValue(child, within))
  }
  return { data: members.data, node: nodeOf(element, members.nodes) }
}

function decodeValue(element: XmlElement, decoding: Decoding): Decoded {
  ignoreAttributes(element, decoding)
  const type = element.attributes.get('type') ?? ''
  if (type === 'attrs') return decodeProperties(element, decoding)
  if (type === 'list') return decodePropertyList(element, decoding)
  return { data: scalarOf(type, textOf(element, decoding), decoding), node: nodeOf(element) }
}

function decodePropertyList(element: XmlElement, decoding: Decoding): Decoded {
  expectNoText(element, decoding)
  const typed = element.children.filter((child) => child.attributes.has('type'))
  for (const child of element.children) if (!child.attributes.has('type')) ignore(child.name, child, decoding)
  return listOf(
    element,
    typed.map((child, index) => decodeValue(child, inside(decoding, index))),
  )
}

/** Decodes text by its type; reports text that does not have it. */
export function scalarOf(type: string, text: string, decoding: Decoding): string | number | boolean | Float {
  if (type === 'string') return text
  const word = text.trim()
  if (type === 'int' || type === 'float') return numberOf(type, word, decoding)
  if (type === 'bool') return truthOf(word, decoding)
  report(decoding, `unknown type ${describe(type)}: expected string, int, float, bool, list or attrs`)
  return text
}

function truthOf(word: string, decoding: Decoding): boolean {
  if (word !== 'true' && word !== 'false') report(decoding, `expected true or false, but got ${describe(word)}`)
  return word === 'true'
}

function numberOf(type: 'int' | 'float', word: string, decoding: Decoding): number | Float {
  const number = parseNumber(word)
  if (typeof number === 'object' && 'problem' in number) {
    report(decoding, number.problem)
    return 0
  }
  const whole = typeof number === 'number' && Number.isInteger(number)
  if (type === 'float') return whole ? new Float(number) : number
  if (!whole) report(decoding, `expected a whole number, but got ${describe(word)}`)
  return number
}
