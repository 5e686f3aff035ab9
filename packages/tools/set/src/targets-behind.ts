import type { Manifest, TargetName } from '@davit/documents'

/** Targets that were passed over and do not have the profile that the manifest names, as far as the last generation knows. */
export function targetsBehind(
  manifest: Manifest,
  reached: ReadonlySet<TargetName>,
  last: Manifest | undefined,
): readonly TargetName[] {
  return [...manifest.profiles]
    .filter(([target, path]) => !reached.has(target) && last?.profiles.get(target) !== path)
    .map(([target]) => target)
}
