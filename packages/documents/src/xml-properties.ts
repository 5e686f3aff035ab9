import { parseNumber } from './number.ts'
import { Float } from './property.ts'
import { type Decoded, type Decoding, decodeItems, decodeMembers, expectNoText, nodeOf, report, textOf } from './xml-decoding.ts'
import type { XmlElement } from './xml-element.ts'

/** Free-form data. As the original does it, a property or list member without `type` is left out. */
export function decodeProperties(element: XmlElement, decoding: Decoding): Decoded {
  expectNoText(element, decoding)
  const typed = element.children.filter(({ name, attributes }) => name === 'property' && attributes.has('type'))
  for (const property of typed) {
    if (!property.attributes.has('name')) report(decoding, "a 'property' has no attribute 'name'")
  }
  const named = typed.map((child) => [child.attributes.get('name'), child] as const)
  return decodeMembers(element, named, { ...decoding, decode: decodeValue })
}

function decodeValue(element: XmlElement, decoding: Decoding): Decoded {
  const type = element.attributes.get('type') ?? ''
  if (type === 'attrs') return decodeProperties(element, decoding)
  if (type === 'list') return decodePropertyList(element, decoding)
  return { data: scalarOf(type, textOf(element, decoding), decoding), node: nodeOf(element) }
}

function decodePropertyList(element: XmlElement, decoding: Decoding): Decoded {
  expectNoText(element, decoding)
  const typed = element.children.filter(({ attributes }) => attributes.has('type'))
  return decodeItems(element, typed, { ...decoding, decode: decodeValue })
}

function scalarOf(type: string, text: string, decoding: Decoding): string | number | boolean | Float {
  const word = text.trim()
  if (type === 'string') return text
  if (type === 'bool' && (word === 'true' || word === 'false')) return word === 'true'
  if (type === 'int' || type === 'float') return numberOf(type, word, decoding)
  const expected = type === 'bool' ? `expected true or false, but this is '${word}'` : `there is no type '${type}'`
  const hint = type === 'bool' ? '' : ': string, int, float, bool, list and attrs are the types'
  report(decoding, expected + hint)
  return text
}

function numberOf(type: 'int' | 'float', word: string, decoding: Decoding): number | Float {
  const number = parseNumber(word)
  if (typeof number === 'object' && 'problem' in number) {
    report(decoding, number.problem)
    return 0
  }
  const whole = typeof number === 'number' && Number.isInteger(number)
  if (type === 'float') return whole ? new Float(number) : number
  if (!whole) report(decoding, `expected a whole number, but this is '${word}'`)
  return number
}
