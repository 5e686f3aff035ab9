import type { Diagnostic } from '@davit/diagnostics'
import type { Data, Located, LocatedNode } from './located.ts'

/** A text read with the places of all its values. */
export interface Tree extends Pick<Located, 'placeOf' | 'placeOfKey'> {
  /** Absent when the text cannot be read. */
  readonly content?: { readonly data: Data }
  /** Problems with their places. */
  readonly problems: readonly Diagnostic[]
}

export interface Branch {
  readonly data: Data
  readonly node: LocatedNode
}

export function listOf(items: readonly Branch[], at: LocatedNode): Branch {
  const children = new Map(items.map(({ node }, index) => [index, node]))
  return { data: items.map(({ data }) => data), node: { ...at, children } }
}

export function tableOf(members: ReadonlyMap<string, Branch>, at: LocatedNode): Branch {
  const entries = [...members]
  const children = new Map(entries.map(([key, { node }]) => [key, node]))
  return { data: new Map(entries.map(([key, { data }]) => [key, data])), node: { ...at, children } }
}
