import { compareVersions, type FoundVersion, isSemanticVersion, satisfies, type Spec } from '@davit/stack'

/** What references ask of a stack: all of them together. */
export interface Wanted {
  readonly name: string
  /** As references or pins have them. */
  readonly specs: readonly string[]
  /** In the repository. */
  readonly directory: string
}

/** Whether a version of a stack is what all specs ask for. */
export function fits(version: FoundVersion, specs: readonly Spec[]): boolean {
  return specs.every((spec) => satisfies(spec, version))
}

/** Returns the version that a stack file states, if that is another one than the tag's. */
export function otherThan(tagged: string, { version }: FoundVersion): string | undefined {
  if (version === undefined) return undefined
  return isSemanticVersion(version) && compareVersions(version, tagged) === 0 ? undefined : version
}

/** Versions whose stack file is looked at; the first one is nearly always it. */
export const MAX_TRIED = 50
