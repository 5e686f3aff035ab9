import { DavitError, ExitStatus, type Path, renderPath } from '@davit/diagnostics'
import { byName, Float, nameOfCharacter, NOT_XML, type XmlElement } from '@davit/languages'
import type { Properties, PropertyValue } from '../property.ts'
import type { Spelling, SpellingOf } from './spelling.ts'

/** Name and attributes of the element that a value becomes, and its place in the document. */
export interface Encoding {
  readonly name: string
  readonly at: PlaceInDocument | undefined
  readonly attributes?: ReadonlyMap<string, string>
}

/** A step of a path, and those before it: a path is only needed for an error. */
interface PlaceInDocument {
  readonly step: string | number
  readonly within: PlaceInDocument | undefined
}

function pathOf(at: PlaceInDocument | undefined): Path {
  return at === undefined ? [] : [...pathOf(at.within), at.step]
}

/** Encodes a valid value by a spelling. Tables are written in order of their names. */
export function encodeXml(value: unknown, spelling: Spelling, encoding: Encoding): XmlElement {
  switch (spelling.kind) {
    case 'text':
    case 'number':
      return leaf(String(value), encoding)
    case 'record':
      return branch(recordChildren(value as Readonly<Record<string, unknown>>, spelling, encoding.at), encoding)
    case 'list':
      return branch(listChildren(value as readonly unknown[], spelling, encoding.at), encoding)
    case 'table':
      return branch(tableChildren(value as ReadonlyMap<string, unknown>, spelling, encoding.at), encoding)
    case 'properties':
      return encodeProperty(value as Properties, encoding)
  }
}

function recordChildren(
  value: Readonly<Record<string, unknown>>,
  { fields }: SpellingOf<'record'>,
  at: PlaceInDocument | undefined,
): XmlElement[] {
  const children: XmlElement[] = []
  for (const [name, spelling] of fields) {
    const field = value[name]
    if (field !== undefined) children.push(encodeXml(field, spelling, { name, at: { step: name, within: at } }))
  }
  return children
}

function listChildren(
  value: readonly unknown[],
  { element, item }: SpellingOf<'list'>,
  at: PlaceInDocument | undefined,
): XmlElement[] {
  return value.map((member, index) => encodeXml(member, item, { name: element, at: { step: index, within: at } }))
}

function tableChildren(
  value: ReadonlyMap<string, unknown>,
  { element, entry }: SpellingOf<'table'>,
  at: PlaceInDocument | undefined,
): XmlElement[] {
  return [...value].toSorted(byName).map(([key, member]) =>
    encodeXml(member, entry, {
      name: element,
      at: { step: key, within: at },
      attributes: new Map([['name', key]]),
    }),
  )
}

function encodeProperty(value: PropertyValue, encoding: Encoding): XmlElement {
  const { name, at, attributes = NO_ATTRIBUTES } = encoding
  const typed = { name, at, attributes: new Map([...attributes, ['type', typeOf(value)]]) }
  if (typeof value !== 'object' || value instanceof Float) return leaf(String(value), typed)
  if (value instanceof Map) {
    const entries: [string, PropertyValue][] = [...(value as Properties)]
    return branch(
      entries.toSorted(byName).map(([key, member]) =>
        encodeProperty(member, {
          name: 'property',
          at: { step: key, within: at },
          attributes: new Map([['name', key]]),
        }),
      ),
      typed,
    )
  }
  const members = value as readonly PropertyValue[]
  return branch(
    members.map((member, index) => encodeProperty(member, { name: 'elem', at: { step: index, within: at } })),
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

function leaf(text: string, { name, at, attributes = NO_ATTRIBUTES }: Encoding): XmlElement {
  refuseUnfit(text, at)
  for (const [, attribute] of attributes) refuseUnfit(attribute, at)
  return { name, attributes, children: NO_CHILDREN, text }
}

function branch(children: readonly XmlElement[], { name, at, attributes = NO_ATTRIBUTES }: Encoding): XmlElement {
  for (const [, attribute] of attributes) refuseUnfit(attribute, at)
  return { name, attributes, children, text: '' }
}

function refuseUnfit(text: string, at: PlaceInDocument | undefined): void {
  const character = NOT_XML.exec(text)?.[0]
  if (character === undefined) return
  const message = `${renderPath(pathOf(at))} contains character ${nameOfCharacter(character)}, which cannot occur in XML`
  throw new DavitError('unfit-text', message, {
    exitStatus: ExitStatus.badDocument,
    hint: 'remove the character, or write the document as JSON',
  })
}
