import { compareVersions, isSemanticVersion, satisfies, type Spec } from '@davit/stack'

/** A tag of a repository, with the commit that it leads to. */
export interface Tag {
  readonly name: string
  readonly commit: string
}

/** A tag that is a version of the stack in a directory. */
export interface VersionTag extends Tag {
  readonly version: string
  /** Whether it is the tag of this directory alone. */
  readonly isOwn: boolean
}

/** Returns the tags that are versions of the stack in a directory which all specs accept, the highest first: `1.2.3`, `v1.2.3`, `DIRECTORY/v1.2.3`. */
export function fittingTags(tags: readonly Tag[], directory: string, specs: readonly Spec[]): readonly VersionTag[] {
  return tags
    .flatMap((tag): VersionTag[] => {
      const isOwn = directory !== '' && tag.name.startsWith(`${directory}/v`)
      const version = isOwn ? tag.name.slice(directory.length + 2) : tag.name.replace(/^v/, '')
      const isFitting = isSemanticVersion(version) && specs.every((spec) => satisfies(spec, { version }))
      return isFitting ? [{ ...tag, version, isOwn }] : []
    })
    .toSorted(byPrecedence)
}

function byPrecedence(left: VersionTag, right: VersionTag): number {
  return (
    compareVersions(right.version, left.version) ||
    Number(right.isOwn) - Number(left.isOwn) ||
    (left.name < right.name ? -1 : 1)
  )
}
