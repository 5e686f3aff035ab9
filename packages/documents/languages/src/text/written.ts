import type { Diagnostic, Place } from '@davit/diagnostics'
import type { Data, LocatedNode } from './located.ts'

/** Finds places by offsets of a text, perhaps in another text that it was made from. */
export interface Placing {
  placeAt(offset: number): Place
}

interface WrittenPart {
  readonly source: Placing
  readonly offset: number
  /** Offset of the key, if the value is a member of a table. */
  readonly keyOffset?: number | undefined
}

export interface WrittenScalar extends WrittenPart {
  readonly kind: 'scalar'
  readonly value: null | boolean | number | string
  /** The value as it is written: `1.10`; of text in quotes what is between them. */
  readonly text: string
}

export interface WrittenList extends WrittenPart {
  readonly kind: 'list'
  readonly items: readonly Written[]
}

export interface WrittenTable extends WrittenPart {
  readonly kind: 'table'
  readonly members: ReadonlyMap<string, Written>
}

/** A value as it is written, with its places. */
export type Written = WrittenScalar | WrittenList | WrittenTable

export type WrittenReading =
  | { readonly kind: 'read'; readonly root: Written }
  | { readonly kind: 'invalid'; readonly problems: readonly Diagnostic[] }

export function writtenOf(data: Data, node: LocatedNode, source: Placing): Written {
  const part = { source, offset: node.offset, keyOffset: node.keyOffset }
  if (Array.isArray(data)) {
    const items = (data as readonly Data[]).map((item, index) =>
      writtenOf(item, node.children?.get(index) ?? node, source),
    )
    return { kind: 'list', items, ...part }
  }
  if (data instanceof Map) {
    const members = new Map<string, Written>()
    for (const [key, value] of data as ReadonlyMap<string, Data>) {
      members.set(key, writtenOf(value, node.children?.get(key) ?? node, source))
    }
    return { kind: 'table', members, ...part }
  }
  const value = data as WrittenScalar['value']
  return { kind: 'scalar', value, text: node.written ?? String(value), ...part }
}
