import { quoted, suggestionFor } from '@davit/diagnostics'
import { type CompiledStack, finding, type Instance, placeOf, type StackFinding } from '@davit/stack'
import type { Targets } from './addresses.ts'

/** Warns of placements of this stack that are for no service, and of targets in them that do not exist. */
export function oddPlacements(
  { root, instances, options: { cluster } }: CompiledStack,
  targets: Targets,
  leaves: readonly Instance[],
): readonly StackFinding[] {
  if (cluster === undefined) return []
  const names = leaves.map(({ fqn }) => fqn)
  return [...cluster.placement].flatMap(([pattern, allowed]) => {
    // Others are for other stacks of the cluster.
    if (!pattern.startsWith(`${root.fqn}/`) && pattern !== '**') return []
    const place = placeOf(cluster.spotsIn.placement.get(pattern) ?? cluster.spots.name)
    const unknown = allowed.filter((name) => !targets.has(name))
    const known = [...targets.keys()]
    const strange = unknown.map((name) => {
      const message = `${quoted(pattern)} is placed on ${quoted(name)}, which is no target`
      const hint = suggestionFor(name, known) ?? `the targets are ${known.map(quoted).join(', ')}`
      return finding('MU104', [name], { message, place, hint })
    })
    if (names.some((fqn) => isMatch(pattern, fqn))) return strange
    const message = `${quoted(pattern)} is placed, but is no service of '${root.fqn}' that runs`
    const hint = instances.has(pattern)
      ? `${quoted(`${pattern}/**`)} is all that is below it`
      : suggestionFor(pattern, names)
    return [finding('MU104', [pattern], { message, place, hint }), ...strange]
  })
}

function isMatch(pattern: string, fqn: string): boolean {
  return pattern === fqn || (pattern.endsWith('**') && fqn.startsWith(pattern.slice(0, -2)))
}
