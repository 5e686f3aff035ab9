import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { Origin } from '@davit/stack'
import type { Tag } from './choose-commit.ts'
import { type Git, gitLines, reasonIn, withoutPassword } from './git.ts'
import { type FetchLimits, RECORD_BYTES } from './fetch-limits.ts'
import { runClone } from './run-clone.ts'

/** A repository that was fetched as a whole, with one connection. */
export interface Clone {
  readonly url: string
  /** Of the repository, without working files. */
  readonly directory: string
  readonly tags: readonly Tag[]
  /** The last commit of the default branch; missing in an empty repository. */
  readonly head: string | undefined
  readonly bytes: number
  readonly limits: FetchLimits
  /** All files of the commits that were looked at last, by the paths of repositories and the names of commits. */
  readonly listings: Map<string, readonly Entry[]>
}

/** A file, link or submodule of a commit. */
export interface Entry {
  readonly mode: string
  readonly object: string
  readonly path: string
}

/** Address of a repository, and whether the workspace file names it. */
type Address = Pick<Origin, 'url' | 'isNamed'>

const CHECK_ADDRESS =
  "check that 'git ls-remote' can read this repository, and that 'repositories' of the workspace file names the right one"
const NO_ENTRY =
  "no entry of 'repositories' in the workspace file is for it, so its name is taken for its address; 'NAME/...' there is for all stacks below NAME"

/** What was fetched, and what of it is remembered. */
export interface Fetched {
  readonly limits: FetchLimits
  readonly listings: Clone['listings']
}

/** Fetches a repository into a new directory. */
export async function cloneRepository(
  git: Git,
  { url, isNamed }: Address,
  { parent, limits, listings }: Fetched & { readonly parent: string },
): Promise<Clone> {
  const directory = join(parent, 'repository')
  const words = [...CLONE, '--', url, directory]
  const { exitCode, stderr, bytes } = await runClone(git, { url, directory, words, limits })
  if (exitCode !== 0) throw notFetched(stderr, { url, isNamed }, parent)
  mkdirSync(join(directory, 'info'), { recursive: true })
  writeFileSync(join(directory, 'info/attributes'), NO_ATTRIBUTES)
  return { url, directory, ...(await readRefs(git, { directory, limits })), bytes, limits, listings }
}

/** No hooks of the user, and no objects that are those of a repository on this machine without being looked at. */
const CLONE = ['clone', '--progress', '--bare', '--template=', '--no-local', '--origin=origin'] as const

/** Outranks the attributes of the repository and of the user, so that git hands out files as they were committed. */
const NO_ATTRIBUTES = '* -export-ignore -export-subst -text -ident -filter -working-tree-encoding\n'

function notFetched(stderr: string, { url, isNamed }: Address, parent: string): DavitError {
  const message = `cannot fetch '${withoutPassword(url)}'`
  if (NO_ROOM.test(stderr)) {
    return new DavitError('cannot-write', `${message}: there is no space left in '${dirname(parent)}'`, {
      exitStatus: ExitStatus.cannotCreate,
      hint: 'free some space there, or set TMPDIR to another directory',
    })
  }
  return new DavitError('unreachable-repository', `${message}: ${reasonIn(stderr)}`, {
    exitStatus: ExitStatus.unreachable,
    hint: hintFor(stderr, isNamed),
    fields: { repository: withoutPassword(url) },
  })
}

function hintFor(stderr: string, isNamed: boolean): string {
  const [, protocol] = /^fatal: transport '([A-Za-z0-9+.-]+)' not allowed/m.exec(stderr) ?? []
  if (protocol !== undefined)
    return `if the program git-remote-${protocol} may run for that: git config --global protocol.${protocol}.allow always`
  return isNamed ? CHECK_ADDRESS : NO_ENTRY
}

/** What git says of this machine; what another one says, it quotes after `remote: `. */
const NO_ROOM = /^(?!remote: ).*(?:No space left on device|Disk quota exceeded)/m

type Refs = Pick<Clone, 'directory' | 'limits'>

async function readRefs(git: Git, clone: Refs): Promise<Pick<Clone, 'head' | 'tags'>> {
  const { directory, limits } = clone
  const words = [`--git-dir=${directory}`, 'for-each-ref', `--format=${TAG_FORMAT}`, 'refs/tags']
  const tooMany = `it has more than ${limits.tags} tags, or tags with names that are too long`
  const refs = await gitLines(git, { words, tooMany, ...boundsOf(limits) })
  const found = await commitsOf(git, clone, [...refs, 'HEAD^{commit} HEAD'])
  const head = found.find(({ name }) => name === 'HEAD')
  const tags = found.filter((ref) => ref !== head)
  return {
    head: head?.commit,
    tags: tags.map(({ commit, name }) => ({ commit, name: name.slice('refs/tags/'.length) })),
  }
}

/** Bounds of lists of tags, and of others, which are shorter. One of objects has one line more. */
function boundsOf({ tags }: FetchLimits) {
  return { maxRecords: tags, maxBytes: RECORD_BYTES * (tags + 1) }
}

/** What each tag leads to, even through other tags, and its name. */
const TAG_FORMAT = '%(refname)^{commit} %(refname)'

/** Looks objects up, each with a name for it or without, and leaves out what is not a commit. */
async function commitsOf(git: Git, { directory, limits }: Refs, objects: readonly string[]): Promise<readonly Tag[]> {
  const words = [`--git-dir=${directory}`, 'cat-file', '--batch-check=%(objecttype) %(objectname) %(rest)']
  const stdin = objects.map((object) => `${object}\n`).join('')
  const bounds = { ...boundsOf(limits), maxRecords: objects.length }
  const found = await gitLines(git, { words, stdin, tooMany: 'its tags have names that are too long', ...bounds })
  return found.flatMap((line) => {
    const [type, commit = '', name = ''] = line.split(' ')
    return type === 'commit' ? [{ commit, name }] : []
  })
}

/** Finds a commit by its hash of 7 or 40 digits; one that no branch or tag leads to is asked for by its whole name. */
export async function findCommit(git: Git, clone: Clone, hash: string): Promise<string | undefined> {
  const known = await commitWithHash(git, clone, hash)
  if (known !== undefined || hash.length < WHOLE_HASH) return known
  // Nothing tidies up a repository that is removed soon.
  const words = [`--git-dir=${clone.directory}`, 'fetch', '--progress', '--no-auto-gc', 'origin', hash]
  await runClone(git, { ...clone, words })
  return commitWithHash(git, clone, hash)
}

const WHOLE_HASH = 40

/** A branch or tag may be called like a hash, and means nothing here; several commits with these digits do not, either. */
async function commitWithHash(git: Git, clone: Clone, hash: string): Promise<string | undefined> {
  const words = [`--git-dir=${clone.directory}`, 'rev-parse', `--disambiguate=${hash}`]
  const tooMany = `the names of too many objects begin with '${hash}'`
  const objects = await gitLines(git, { words, tooMany, ...boundsOf(clone.limits) })
  const [first, ...others] = await commitsOf(git, clone, objects)
  return others.length === 0 ? first?.commit : undefined
}
