import type { Manifest, TargetName } from '@davit/documents'

/** Groups mappings by target, in their order; targets without mappings get an empty list. */
export function byTarget<Mapping extends { readonly target: TargetName }>(
  { infrastructure }: Pick<Manifest, 'infrastructure'>,
  mappings: readonly Mapping[],
): ReadonlyMap<TargetName, readonly Mapping[]> {
  const groups = new Map<TargetName, Mapping[]>([...infrastructure.keys()].map((target) => [target, []]))
  for (const mapping of mappings) groups.get(mapping.target)?.push(mapping)
  return groups
}
