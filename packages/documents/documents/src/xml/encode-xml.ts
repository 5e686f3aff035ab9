import { byName, Float, type XmlElement } from '@davit/languages'
import type { Properties, PropertyValue } from '../property.ts'
import type { Spelling, SpellingOf } from './spelling.ts'

/** Name and attributes of the element that a value becomes. */
export interface Encoding {
  readonly name: string
  readonly attributes?: ReadonlyMap<string, string>
}

/** Encodes a valid value by a spelling. Tables are written in order of their names. */
export function encodeXml(value: unknown, spelling: Spelling, encoding: Encoding): XmlElement {
  switch (spelling.kind) {
    case 'text':
    case 'number':
      return leaf(String(value), encoding)
    case 'record':
      return branch(recordChildren(value as Readonly<Record<string, unknown>>, spelling), encoding)
    case 'list':
      return branch(listChildren(value as readonly unknown[], spelling), encoding)
    case 'table':
      return branch(tableChildren(value as ReadonlyMap<string, unknown>, spelling), encoding)
    case 'properties':
      return encodeProperty(value as Properties, encoding)
  }
}

function recordChildren(value: Readonly<Record<string, unknown>>, { fields }: SpellingOf<'record'>): XmlElement[] {
  const children: XmlElement[] = []
  for (const [name, spelling] of fields) {
    const field = value[name]
    if (field !== undefined) children.push(encodeXml(field, spelling, { name }))
  }
  return children
}

function listChildren(value: readonly unknown[], { element, item }: SpellingOf<'list'>): XmlElement[] {
  return value.map((member) => encodeXml(member, item, { name: element }))
}

function tableChildren(value: ReadonlyMap<string, unknown>, { element, entry }: SpellingOf<'table'>): XmlElement[] {
  return [...value].toSorted(byName).map(([key, member]) =>
    encodeXml(member, entry, {
      name: element,
      attributes: new Map([['name', key]]),
    }),
  )
}

function encodeProperty(value: PropertyValue, encoding: Encoding): XmlElement {
  const { name, attributes = NO_ATTRIBUTES } = encoding
  const typed = { name, attributes: new Map([...attributes, ['type', typeOf(value)]]) }
  if (typeof value !== 'object' || value instanceof Float) return leaf(String(value), typed)
  if (value instanceof Map) {
    const entries: [string, PropertyValue][] = [...(value as Properties)]
    return branch(
      entries.toSorted(byName).map(([key, member]) =>
        encodeProperty(member, {
          name: 'property',
          attributes: new Map([['name', key]]),
        }),
      ),
      typed,
    )
  }
  const members = value as readonly PropertyValue[]
  return branch(
    members.map((member) => encodeProperty(member, { name: 'elem' })),
    typed,
  )
}

function typeOf(value: PropertyValue): string {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float'
  if (value instanceof Float) return 'float'
  return value instanceof Map ? 'attrs' : 'list'
}

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map()
const NO_CHILDREN: readonly XmlElement[] = []

function leaf(text: string, { name, attributes = NO_ATTRIBUTES }: Encoding): XmlElement {
  return { name, attributes, children: NO_CHILDREN, text }
}

function branch(children: readonly XmlElement[], { name, attributes = NO_ATTRIBUTES }: Encoding): XmlElement {
  return { name, attributes, children, text: '' }
}
