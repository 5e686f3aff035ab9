import { DavitError, ExitStatus, quoted } from '@davit/diagnostics'
import { parseSpec, satisfies, type Spec } from '@davit/stack'
import { fittingTags } from './choose-commit.ts'
import { findCommit } from './clone.ts'
import { withoutPassword } from './git.ts'
import { findTree, type Source, type StackTree, statedVersion, type Tree } from './stack-tree.ts'

/** What references ask of a stack: all of them together. */
export interface Wanted {
  readonly name: string
  /** As references or pins have them. */
  readonly specs: readonly string[]
  /** In the repository. */
  readonly directory: string
}

export interface ChosenTree extends StackTree {
  /** The tag by whose version it was chosen. */
  readonly tag?: string
}

interface Candidate {
  readonly commit: string
  readonly tag?: string
}

/** Finds the commit whose stack is what all specs ask for: a commit that is named, else the highest version, else the default branch. */
export async function chooseTree(source: Source, wanted: Wanted): Promise<ChosenTree> {
  const specs = wanted.specs.flatMap((spec) => parseSpec(spec) ?? [])
  for (const { commit, tag } of await candidatesFor(source, wanted, specs)) {
    const tree = await findTree(source, { commit, directory: wanted.directory })
    if (tree === undefined || !(await fits(source, tree, specs))) continue
    return tag === undefined ? tree : { ...tree, tag }
  }
  throw await noneFits(source, wanted)
}

/** Whether the stack file states a version that all specs accept. */
async function fits(source: Source, tree: StackTree, specs: readonly Spec[]): Promise<boolean> {
  if (specs.every(({ kind }) => kind === 'latest')) return true
  const stated = await statedVersion(source, tree)
  return specs.every((spec) => satisfies(spec, stated))
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
  return fittingTags(clone.tags, directory, ranges)
    .slice(0, MAX_TRIED)
    .map(({ name, commit }) => ({ commit, tag: name }))
}

/** Versions whose stack file is looked at; the first one is nearly always it. */
const MAX_TRIED = 50

async function noneFits(source: Source, { name, specs, directory }: Wanted): Promise<DavitError> {
  const { clone } = source
  const versions = [...new Set(fittingTags(clone.tags, directory, []).map((tag) => tag.name))]
  const head: Tree | undefined = clone.head === undefined ? undefined : { commit: clone.head, directory }
  const isThere = head !== undefined && (await findTree(source, head)) !== undefined
  const where = `'${withoutPassword(clone.url)}'${directory === '' ? '' : `, directory ${quoted(directory)},`}`
  const asked = specs.map(quoted).join(' and ')
  const message = isThere
    ? `no version of ${quoted(name)} in ${where} is ${asked}`
    : `there is no stack ${quoted(name)} in ${where} that is ${asked}`
  const hints = [
    ...(clone.head === undefined ? ['its default branch has no commit'] : []),
    ...(versions.length > 0 ? [`its versions are ${shown(versions)}`] : []),
  ]
  const hint = hints.length === 0 ? 'it has no tags that are versions' : hints.join('; ')
  return new DavitError('no-such-stack', message, { exitStatus: ExitStatus.badDocument, hint })
}

const MAX_SHOWN = 8

function shown(versions: readonly string[]): string {
  return versions.length > MAX_SHOWN ? `${versions.slice(0, MAX_SHOWN).join(', ')}, …` : versions.join(', ')
}
