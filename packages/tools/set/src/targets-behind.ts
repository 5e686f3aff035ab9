import type { Manifest, TargetName } from '@davit/documents'

/** Targets that were skipped and, according to the last generation, do not have the profile of the manifest. */
export function targetsBehind(
  manifest: Manifest,
  reached: ReadonlySet<TargetName>,
  last: Manifest | undefined,
): readonly TargetName[] {
  return [...manifest.profiles]
    .filter(([target, path]) => !reached.has(target) && last?.profiles.get(target) !== path)
    .map(([target]) => target)
}
