import { compareText, grouped } from '@davit/languages'
import type { Instance } from '@davit/stack'
import { pascalIdentifier } from './identifier.ts'

export type LogicalIds = ReadonlyMap<Instance, string>

/** Names resources after their service and the stack around it; where that is ambiguous, also after the instance around it. */
export function logicalIdsOf(leaves: readonly Instance[]): LogicalIds {
  const ids = new Map<Instance, string>()
  for (const [id, namesakes] of grouped(leaves, shortId)) {
    for (const leaf of namesakes) ids.set(leaf, namesakes.length === 1 ? id : `${idOfParent(leaf)}${id}`)
  }
  return ids
}

function shortId({ name, parent }: Instance): string {
  return `${pascalIdentifier(name)}${pascalIdentifier(parent?.body.name?.text ?? '')}`
}

function idOfParent({ parent }: Instance): string {
  return pascalIdentifier(parent?.fqn ?? '')
}

/** Returns groups of resources that would overwrite each other, in the order of their ids. */
export function clashesIn(ids: LogicalIds): readonly (readonly [string, readonly Instance[]])[] {
  const groups = grouped(ids.keys(), (leaf) => ids.get(leaf) ?? '')
  const clashes = [...groups].filter(([id, namesakes]) => id === '' || namesakes.length > 1)
  return clashes.toSorted(([left], [right]) => compareText(left, right))
}
