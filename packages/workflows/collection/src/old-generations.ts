import {
  currentNumber,
  deleteGenerations,
  type DeploymentPlace,
  generationNumbers,
  generationRoot,
  generationsDeleted,
  readGeneration,
  releasePackages,
  type ReleaseOptions,
} from '@davit/coordinator-state'
import type { Manifest, ProfileName, StorePath, TargetName } from '@davit/documents'
import { profileRoot, type ShellTarget, type StoreRoot, trimProfile } from '@davit/target'

/** Generations of a deployment that `--delete-old` deletes. */
export interface OldGenerations {
  readonly place: DeploymentPlace
  readonly profile: ProfileName
  readonly numbers: readonly number[]
  /** Profiles that the targets keep in addition to their current generations. */
  readonly kept: ReadonlyMap<TargetName, ReadonlySet<StorePath>>
}

/** Finds all generations except the current one; none if there is no current generation. */
export async function oldGenerations(
  place: DeploymentPlace,
  profile: ProfileName,
  manifest: Manifest | undefined,
): Promise<OldGenerations> {
  const current = await currentNumber(place)
  const numbers = current === undefined ? [] : (await generationNumbers(place)).filter((number) => number !== current)
  const remaining = current === undefined ? await generationNumbers(place) : [current]
  const manifests = await Promise.all(remaining.map(async (number) => (await readGeneration(place, number)).manifest))
  return { place, profile, numbers, kept: profilesOf(manifest === undefined ? manifests : [...manifests, manifest]) }
}

export async function deleteOnCoordinator({ place, numbers }: OldGenerations, options: ReleaseOptions): Promise<void> {
  await deleteGenerations(place, numbers, (deleted) => releasePackages(deleted, options))
  if (numbers.length === 0) return
  options.report(generationsDeleted(numbers))
}

export async function deleteOnTarget(old: OldGenerations, { name, machine }: ShellTarget<'collect'>): Promise<number> {
  return trimProfile(machine, { target: name, profile: old.profile }, [...(old.kept.get(name) ?? [])])
}

/** Tells whether a root would remain without the old generations. */
export function staysRoot(old: OldGenerations, targets: readonly TargetName[]): (root: StoreRoot) => boolean {
  const roots = new Set(old.numbers.map((number) => generationRoot(old.place, number)))
  return ({ by, path }) => !roots.has(by) && !isTrimmed(old, targets, { by, path })
}

/** Whether a root is a generation of the profile on one of these targets that is deleted. */
function isTrimmed(old: OldGenerations, targets: readonly TargetName[], { by, path }: StoreRoot): boolean {
  const [root, link] = by.split('/')
  const target = targets.find((one) => profileRoot(one, old.profile) === root)
  if (target === undefined || link === 'current') return false
  return old.kept.get(target)?.has(path) !== true
}

function profilesOf(manifests: readonly Manifest[]): ReadonlyMap<TargetName, ReadonlySet<StorePath>> {
  const profiles = new Map<TargetName, Set<StorePath>>()
  for (const [target, path] of manifests.flatMap((manifest) => [...manifest.profiles])) {
    profiles.set(target, (profiles.get(target) ?? new Set()).add(path))
  }
  return profiles
}
