import type { StorePath } from '@davit/documents'
import type { CurrentProfile } from '@davit/target'

import type { TargetDrift } from './drift.ts'

interface ExpectedProfile {
  /** Undefined if nobody can tell. */
  readonly expected: StorePath | undefined
  /** Paths that are not valid on the target. */
  readonly missing: ReadonlySet<StorePath>
}

/** Tells what is wrong with the profile of a target. */
export function profileDrift(
  profile: CurrentProfile | undefined,
  { expected, missing }: ExpectedProfile,
): readonly TargetDrift[] {
  const found = profile?.path
  return [
    ...(expected === undefined || found === expected ? [] : [{ kind: 'other-profile' as const, found, expected }]),
    ...(profile?.problem === undefined ? [] : [{ kind: 'bad-profile' as const, problem: profile.problem.message }]),
    ...(found !== undefined && missing.has(found) ? [{ kind: 'profile-missing' as const, path: found }] : []),
  ]
}
