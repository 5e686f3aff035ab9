import { type Manifest, type ProfileName, type StorePath, storeOf } from '@davit/documents'
import { lookAtTarget, type ObservedRecord, type ShellTarget } from '@davit/target'

export interface PathTerms {
  readonly profile: ProfileName
  readonly expected: Manifest | undefined
  readonly records: readonly ObservedRecord[]
}

/** Finds which profiles and packages are not valid on a target any more. */
export async function missingPaths(
  target: ShellTarget,
  { profile, expected, records }: PathTerms,
): Promise<ReadonlySet<StorePath>> {
  const path = expected?.profiles.get(target.name)
  const paths = [...new Set([...(path === undefined ? [] : [path]), ...records.map(({ service }) => service.pkg)])]
  const isMissing = async (some: readonly StorePath[]) => {
    const [first] = some
    if (first === undefined) return false
    const look = { profile, path: first, store: storeOf(first), closure: some }
    return (await lookAtTarget(target, look)).includes('missing')
  }
  // In a Nix store, a valid profile implies that what it contains is valid, and each other path is a question of its own.
  const together = paths.every((one) => storeOf(one).kind === 'native')
  if (together && !(await isMissing(paths))) return new Set()
  const missing = await Promise.all(paths.map(async (one) => ((await isMissing([one])) ? [one] : [])))
  return new Set(missing.flat())
}
