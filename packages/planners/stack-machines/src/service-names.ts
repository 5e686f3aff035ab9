import { finding, type Instance, placeOf, type StackFinding } from '@davit/stack'

/** Longest name of a service; that of a package in the store is longer. */
const MOST_CHARACTERS = 196

/** Names the services that leaves become; reports each part of a name that no service can have. */
export function serviceNames(leaves: readonly Instance[], findings: StackFinding[]): ReadonlyMap<Instance, string> {
  return new Map(
    leaves.map((leaf) => {
      const { fqn, spot } = leaf
      const strange = fqn.split('/').find((part) => !/^[A-Za-z0-9_]+$/.test(part))
      if (strange !== undefined) findings.push(finding('MU514', [strange], { place: placeOf(spot) }))
      else if (fqn.length > MOST_CHARACTERS) {
        const hint = `names of services have at most ${MOST_CHARACTERS} characters`
        findings.push(finding('MU514', [fqn], { place: placeOf(spot), hint }))
      }
      return [leaf, fqn.replaceAll('/', '.')]
    }),
  )
}
