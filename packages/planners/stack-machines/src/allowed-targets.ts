/** Targets by fully qualified names, or by `FQN/**` for all that is below. */
export type PlacementTable = ReadonlyMap<string, readonly string[]>

/** Returns the targets that the longest match allows; undefined if nothing matches, and all are. */
export function allowedTargets(placement: PlacementTable, fqn: string): ReadonlySet<string> | undefined {
  const own = placement.get(fqn)
  if (own !== undefined) return new Set(own)
  for (let end = fqn.lastIndexOf('/'); end > 0; end = fqn.lastIndexOf('/', end - 1)) {
    const above = placement.get(`${fqn.slice(0, end)}/**`)
    if (above !== undefined) return new Set(above)
  }
  const all = placement.get('**')
  return all && new Set(all)
}
