import { DavitError, ExitStatus, type Path, renderPath } from '@davit/diagnostics'
import { byName, Float, nameOfCharacter, NOT_XML, type XmlElement } from '@davit/languages'
import type { Properties, PropertyValue } from '../property.ts'
import type { Spelling, SpellingOf } from './spelling.ts'

/** Name and attributes of the element that a value becomes, and its path in the document. */
export interface Encoding {
  readonly name: string
  readonly path: Path
  readonly attributes?: readonly (readonly [string, string])[]
}

/** Encodes a valid value by a spelling. Tables are written in order of their names. */
export function encodeXml(value: unknown, spelling: Spelling, encoding: Encoding): XmlElement {
  switch (spelling.kind) {
    case 'text':
    case 'number':
      return leaf(String(value), encoding)
    case 'record':
      return branch(recordChildren(value as Readonly<Record<string, unknown>>, spelling, encoding.path), encoding)
    case 'list':
      return branch(listChildren(value as readonly unknown[], spelling, encoding.path), encoding)
    case 'table':
      return branch(tableChildren(value as ReadonlyMap<string, unknown>, spelling, encoding.path), encoding)
    case 'properties':
      return encodeProperty(value as Properties, encoding)
  }
}

function recordChildren(
  value: Readonly<Record<string, unknown>>,
  { fields }: SpellingOf<'record'>,
  path: Path,
): XmlElement[] {
  return [...fields].flatMap(([name, spelling]) =>
    value[name] === undefined ? [] : [encodeXml(value[name], spelling, { name, path: [...path, name] })],
  )
}

function listChildren(value: readonly unknown[], { element, item }: SpellingOf<'list'>, path: Path): XmlElement[] {
  return value.map((member, index) => encodeXml(member, item, { name: element, path: [...path, index] }))
}

function tableChildren(
  value: ReadonlyMap<string, unknown>,
  { element, entry }: SpellingOf<'table'>,
  path: Path,
): XmlElement[] {
  return [...value]
    .toSorted(byName)
    .map(([key, member]) =>
      encodeXml(member, entry, { name: element, path: [...path, key], attributes: [['name', key]] }),
    )
}

function encodeProperty(value: PropertyValue, encoding: Encoding): XmlElement {
  const typed = { ...encoding, attributes: [...(encoding.attributes ?? []), ['type', typeOf(value)] as const] }
  if (typeof value !== 'object' || value instanceof Float) return leaf(String(value), typed)
  const { path } = encoding
  if (value instanceof Map) {
    const entries: [string, PropertyValue][] = [...(value as Properties)]
    return branch(
      entries
        .toSorted(byName)
        .map(([key, member]) =>
          encodeProperty(member, { name: 'property', path: [...path, key], attributes: [['name', key]] }),
        ),
      typed,
    )
  }
  const members = value as readonly PropertyValue[]
  return branch(
    members.map((member, index) => encodeProperty(member, { name: 'elem', path: [...path, index] })),
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

function leaf(text: string, encoding: Encoding): XmlElement {
  refuseUnfit(text, encoding.path)
  return { ...branch([], encoding), text }
}

function branch(children: readonly XmlElement[], { name, path, attributes = [] }: Encoding): XmlElement {
  for (const [, attribute] of attributes) refuseUnfit(attribute, path)
  return { name, attributes: new Map(attributes), children, text: '' }
}

function refuseUnfit(text: string, path: Path): void {
  const character = NOT_XML.exec(text)?.[0]
  if (character === undefined) return
  const message = `${renderPath(path)} contains character ${nameOfCharacter(character)}, which cannot occur in XML`
  throw new DavitError('unfit-text', message, {
    exitStatus: ExitStatus.badDocument,
    hint: 'remove the character, or write the document as JSON',
  })
}
