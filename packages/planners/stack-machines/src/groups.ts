import { capabilitiesIn, type Instance } from '@davit/stack'
import { compareText } from '@davit/languages'

/** Leaves that must be on the same targets, in the order of their names: those that share volumes. */
export type Group = readonly Instance[]

/** Groups leaves by the volumes that they mount; groups are in the order of their first names. */
export function groupsOf(leaves: readonly Instance[]): readonly Group[] {
  const heads = new Map(leaves.map((leaf) => [leaf, leaf]))
  const headOf = (leaf: Instance): Instance => {
    const next = heads.get(leaf) ?? leaf
    if (next === leaf) return leaf
    const head = headOf(next)
    heads.set(leaf, head)
    return head
  }
  for (const leaf of leaves) {
    for (const volume of volumesOf(leaf)) if (heads.has(volume)) heads.set(headOf(volume), headOf(leaf))
  }
  const groups = new Map<Instance, Instance[]>()
  for (const leaf of leaves.toSorted((left, right) => compareText(left.fqn, right.fqn))) {
    const head = headOf(leaf)
    const group = groups.get(head)
    if (group === undefined) groups.set(head, [leaf])
    else group.push(leaf)
  }
  return [...groups.values()]
}

function volumesOf({ properties }: Instance): readonly Instance[] {
  return capabilitiesIn(properties.get('volumes') ?? null).map(({ chosen }) => chosen)
}
