import type { Diagnostic } from '@davit/diagnostics'
import type { Data, Located, LocatedNode } from './located.ts'

/** A text read with the places of all its values. */
export interface Tree extends Pick<Located, 'placeOf' | 'placeOfKey' | 'writtenAt'> {
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
  const data = new Map<string, Data>()
  const children = new Map<string, LocatedNode>()
  for (const [key, member] of members) {
    data.set(key, member.data)
    children.set(key, member.node)
  }
  return { data, node: { ...at, children } }
}
