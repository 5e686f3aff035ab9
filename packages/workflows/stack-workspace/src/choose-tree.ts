import { parseSpec, type Spec } from '@davit/stack'
import { fittingTags, type VersionTag } from './choose-commit.ts'
import { findCommit } from './clone.ts'
import { noneFits } from './none-fits.ts'
import { findTree, type Source, type StackTree, statedVersion } from './stack-tree.ts'
import { fits, MAX_TRIED, otherThan, type Wanted } from './wanted.ts'

export interface ChosenTree extends StackTree {
  /** The tag by whose version it was chosen. */
  readonly tag?: string
  /** The version that its stack file states, if that is another one than the tag's. */
  readonly otherVersion?: string
}

type Candidate = Pick<VersionTag, 'commit'> & Partial<VersionTag>

/** Finds the commit whose stack is what all specs ask for: a commit that is named, else the highest version, else the default branch. */
export async function chooseTree(source: Source, wanted: Wanted): Promise<ChosenTree> {
  const specs = wanted.specs.flatMap((spec) => parseSpec(spec) ?? [])
  for (const { commit, name, version } of await candidatesFor(source, wanted, specs)) {
    const tree = await findTree(source, { commit, directory: wanted.directory })
    if (tree === undefined) continue
    if (specs.every(({ kind }) => kind === 'latest')) return tree
    const stated = await statedVersion(source, tree)
    if (!fits(stated, specs)) continue
    if (name === undefined || version === undefined) return tree
    const otherVersion = otherThan(version, stated)
    return { ...tree, tag: name, ...(otherVersion === undefined ? {} : { otherVersion }) }
  }
  throw await noneFits(source, wanted, specs)
}

async function candidatesFor(
  { git, clone }: Source,
  { directory }: Wanted,
  specs: readonly Spec[],
): Promise<readonly Candidate[]> {
  const hash = specs.find((spec) => spec.kind === 'hash')
  if (hash !== undefined) {
    const commit = await findCommit(git, clone, hash.hash)
    return commit === undefined ? [] : [{ commit }]
  }
  const ranges = specs.filter(({ kind }) => kind === 'range')
  if (ranges.length === 0) return clone.head === undefined ? [] : [{ commit: clone.head }]
  return fittingTags(clone.tags, directory, ranges).slice(0, MAX_TRIED)
}
