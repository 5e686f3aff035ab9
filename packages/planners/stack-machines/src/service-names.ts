import { finding, type Instance, isName, placeOf, type StackFinding } from '@davit/stack'

/** Longest name of a service; that of a package in the store is longer. */
const MOST_CHARACTERS = 196

/** Names the services that leaves become; reports, once, each part of their names that is no name. */
export function serviceNames(leaves: readonly Instance[], findings: StackFinding[]): ReadonlyMap<Instance, string> {
  const named = new Set<Instance>()
  for (const leaf of leaves) {
    checkName(leaf, named, findings)
    if (leaf.fqn.length <= MOST_CHARACTERS) continue
    const hint = `names of services have at most ${MOST_CHARACTERS} characters`
    findings.push(finding('MU514', [leaf.fqn], { place: placeOf(leaf.spot), hint }))
  }
  return new Map(leaves.map((leaf) => [leaf, leaf.fqn.replaceAll('/', '.')]))
}

/** Checks the own name of an instance, and before it those of the instances around it. */
function checkName(instance: Instance, checked: Set<Instance>, findings: StackFinding[]): void {
  if (checked.has(instance)) return
  checked.add(instance)
  const { parent, name, spot } = instance
  if (parent !== undefined) checkName(parent, checked, findings)
  const strange = name.split('/').find((part) => !isName(part))
  if (strange !== undefined) findings.push(finding('MU514', [strange], { place: placeOf(spot) }))
}
