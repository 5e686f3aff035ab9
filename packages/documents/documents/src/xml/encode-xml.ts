import { byName, Float, marginWithin, writeAttribute, writeBranch, writeLeaf, type XmlStart } from '@davit/languages'
import type { Properties, PropertyValue } from '../property.ts'
import type { Spelling, SpellingOf } from './spelling.ts'

/** Writes a valid value as an element, by a spelling. Tables are written in order of their names. */
export function encodeXml(value: unknown, spelling: Spelling, start: XmlStart): string {
  switch (spelling.kind) {
    case 'text':
    case 'number':
      return writeLeaf(String(value), start)
    case 'record':
      return writeBranch(recordChildren(value as Readonly<Record<string, unknown>>, spelling, start), start)
    case 'list':
      return writeBranch(listChildren(value as readonly unknown[], spelling, start), start)
    case 'table':
      return writeBranch(tableChildren(value as ReadonlyMap<string, unknown>, spelling, start), start)
    case 'properties':
      return encodeProperty(value as Properties, start)
  }
}

function recordChildren(
  value: Readonly<Record<string, unknown>>,
  { fields }: SpellingOf<'record'>,
  start: XmlStart,
): string[] {
  const margin = marginWithin(start.margin)
  const children: string[] = []
  for (const [name, spelling] of fields) {
    const field = value[name]
    if (field !== undefined) children.push(encodeXml(field, spelling, { margin, name, attributes: '' }))
  }
  return children
}

function listChildren(value: readonly unknown[], { element, item }: SpellingOf<'list'>, start: XmlStart): string[] {
  const inner = { margin: marginWithin(start.margin), name: element, attributes: '' }
  return value.map((member) => encodeXml(member, item, inner))
}

function tableChildren(
  value: ReadonlyMap<string, unknown>,
  { element, entry }: SpellingOf<'table'>,
  start: XmlStart,
): string[] {
  const margin = marginWithin(start.margin)
  return [...value]
    .toSorted(byName)
    .map(([key, member]) =>
      encodeXml(member, entry, { margin, name: element, attributes: writeAttribute('name', key) }),
    )
}

function encodeProperty(value: PropertyValue, { margin, name, attributes }: XmlStart): string {
  const typed = { margin, name, attributes: attributes + writeAttribute('type', typeOf(value)) }
  if (typeof value !== 'object' || value instanceof Float) return writeLeaf(String(value), typed)
  const within = marginWithin(margin)
  if (value instanceof Map) {
    const entries: [string, PropertyValue][] = [...(value as Properties)]
    const children = entries
      .toSorted(byName)
      .map(([key, member]) =>
        encodeProperty(member, { margin: within, name: 'property', attributes: writeAttribute('name', key) }),
      )
    return writeBranch(children, typed)
  }
  const members = value as readonly PropertyValue[]
  const inner = { margin: within, name: 'elem', attributes: '' }
  return writeBranch(
    members.map((member) => encodeProperty(member, inner)),
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
