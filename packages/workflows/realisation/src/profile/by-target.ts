import type { Manifest, TargetName } from '@davit/documents'

/** What concerns each target of a manifest, in the order it comes; nothing for targets without any. One pass for all of them. */
export function byTarget<Mapping extends { readonly target: TargetName }>(
  { infrastructure }: Pick<Manifest, 'infrastructure'>,
  mappings: readonly Mapping[],
): ReadonlyMap<TargetName, readonly Mapping[]> {
  const groups = new Map<TargetName, Mapping[]>([...infrastructure.keys()].map((target) => [target, []]))
  for (const mapping of mappings) groups.get(mapping.target)?.push(mapping)
  return groups
}
