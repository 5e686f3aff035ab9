import { DavitError, ExitStatus, quoted, suggestionFor } from '@davit/diagnostics'
import type { Spec } from '@davit/stack'
import { fittingTags } from './choose-commit.ts'
import { withoutPassword } from './git.ts'
import { findTree, type Source, stackDirectories, statedVersion } from './stack-tree.ts'
import { fits, MAX_TRIED, otherThan, type Wanted } from './wanted.ts'

/** Makes the error for a stack of which a repository has nothing that all specs accept. */
export async function noneFits(source: Source, wanted: Wanted, specs: readonly Spec[]): Promise<DavitError> {
  const { clone } = source
  const { directory } = wanted
  const name = quoted(wanted.name)
  const repository = `'${withoutPassword(clone.url)}'`
  const isAtHead = await isIn(source, directory, clone.head)
  if (clone.head !== undefined && !isAtHead && !(await isTagged(source, directory))) {
    const where = directory === '' ? 'its top directory' : `a directory ${quoted(directory)}`
    const message = `there is no stack ${name}: ${repository} has no stack file in ${where}`
    return noSuchStack(message, await otherStacks(source, directory, clone.head))
  }
  const where = directory === '' ? repository : `${repository}, directory ${quoted(directory)},`
  const asked = wanted.specs.map(quoted).join(' and ')
  const why = await whyNoTag(source, directory, specs)
  if (why !== undefined)
    return noSuchStack(
      `no version of ${name} in ${where} is ${asked} by both its tag and its stack file: ${why}`,
      TAG_AGAIN,
    )
  const message = isAtHead
    ? `no version of ${name} in ${where} is ${asked}`
    : `there is no stack ${name} in ${where} that is ${asked}`
  return noSuchStack(message, versionsOf(source, directory))
}

function noSuchStack(message: string, hint: string): DavitError {
  return new DavitError('no-such-stack', message, { exitStatus: ExitStatus.badDocument, hint })
}

async function isIn(source: Source, directory: string, commit: string | undefined): Promise<boolean> {
  return commit !== undefined && (await findTree(source, { commit, directory })) !== undefined
}

async function isTagged(source: Source, directory: string): Promise<boolean> {
  for (const { commit } of fittingTags(source.clone.tags, directory, []).slice(0, MAX_TRIED))
    if (await isIn(source, directory, commit)) return true
  return false
}

/** Names the directories of a repository that are stacks, or the one that is probably meant. */
async function otherStacks(source: Source, directory: string, commit: string): Promise<string> {
  const directories = await stackDirectories(source, commit)
  if (directories.length === 0) return 'it has no stack file at all'
  return suggestionFor(directory, directories) ?? `directories with a stack file are ${shown(directories.map(quoted))}`
}

/** Tells of a tag whose stack file states another version, if one of the two is what all specs ask for. */
async function whyNoTag(source: Source, directory: string, specs: readonly Spec[]): Promise<string | undefined> {
  const kinds = new Set(specs.map(({ kind }) => kind))
  if (kinds.has('hash') || !kinds.has('range')) return undefined
  for (const { commit, name, version } of fittingTags(source.clone.tags, directory, []).slice(0, MAX_TRIED)) {
    const tree = await findTree(source, { commit, directory })
    const other = tree && otherThan(version, await statedVersion(source, tree))
    const isAsked = [version, other].some((one) => one !== undefined && fits({ version: one }, specs))
    if (other !== undefined && isAsked) return `the stack file of its tag ${quoted(name)} says ${quoted(other)}`
  }
  return undefined
}

const TAG_AGAIN =
  "whoever maintains it changes 'version' in that file to the version of the tag, commits that, and tags again"

function versionsOf({ clone }: Source, directory: string): string {
  const versions = [...new Set(fittingTags(clone.tags, directory, []).map((tag) => tag.name))]
  const hints = [
    ...(clone.head === undefined ? ['its default branch has no commit'] : []),
    ...(versions.length > 0 ? [`its versions are ${shown(versions)}`] : []),
  ]
  return hints.length === 0 ? 'it has no tags that are versions' : hints.join('; ')
}

const MAX_SHOWN = 8

function shown(names: readonly string[]): string {
  return names.length > MAX_SHOWN ? `${names.slice(0, MAX_SHOWN).join(', ')}, …` : names.join(', ')
}
