import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { Origin } from '@davit/stack'
import type { Tag } from './choose-commit.ts'
import { type Git, gitOutput, reasonIn, runGit, withoutPassword } from './git.ts'

/** A repository that was fetched as a whole, with one connection. */
export interface Clone {
  readonly url: string
  /** Of the repository, without working files. */
  readonly directory: string
  readonly tags: readonly Tag[]
  /** The last commit of the default branch; missing in an empty repository. */
  readonly head: string | undefined
  /** All files of the commits that were looked at. */
  readonly listings: Map<string, Promise<readonly Entry[]>>
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

/** Fetches a repository into a new directory. */
export async function cloneRepository(git: Git, { url, isNamed }: Address, parent: string): Promise<Clone> {
  const directory = join(parent, 'repository')
  const words = ['clone', '--quiet', '--bare', '--template=', '--origin=origin', '--', url, directory]
  const { exitCode, stderr } = await runGit(git, words)
  if (exitCode !== 0) throw notFetched(stderr, { url, isNamed }, parent)
  mkdirSync(join(directory, 'info'), { recursive: true })
  writeFileSync(join(directory, 'info/attributes'), NO_ATTRIBUTES)
  return { url, directory, ...(await readRefs(git, directory)), listings: new Map() }
}

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
    hint: isNamed ? CHECK_ADDRESS : NO_ENTRY,
    fields: { repository: withoutPassword(url) },
  })
}

/** What git says of this machine; what another one says, it quotes after `remote: `. */
const NO_ROOM = /^(?!remote: ).*(?:No space left on device|Disk quota exceeded)/m

async function readRefs(git: Git, directory: string): Promise<Pick<Clone, 'head' | 'tags'>> {
  const refs = await gitOutput(git, [`--git-dir=${directory}`, 'for-each-ref', `--format=${TAG_FORMAT}`, 'refs/tags'])
  const found = await commitsOf(git, directory, `${refs}HEAD^{commit} HEAD\n`)
  const head = found.find(({ name }) => name === 'HEAD')
  const tags = found.filter((ref) => ref !== head)
  return {
    head: head?.commit,
    tags: tags.map(({ commit, name }) => ({ commit, name: name.slice('refs/tags/'.length) })),
  }
}

/** What each tag leads to, even through other tags, and its name. */
const TAG_FORMAT = '%(refname)^{commit} %(refname)'

/** Looks objects up, each in a line with a name for it or without, and leaves out what is no commit. */
async function commitsOf(git: Git, directory: string, objects: string): Promise<readonly Tag[]> {
  const words = [`--git-dir=${directory}`, 'cat-file', '--batch-check=%(objecttype) %(objectname) %(rest)']
  const found = await gitOutput(git, words, objects)
  return found.split('\n').flatMap((line) => {
    const [type, commit = '', name = ''] = line.split(' ')
    return type === 'commit' ? [{ commit, name }] : []
  })
}

/** Finds a commit by its hash of 7 or 40 digits; one that no branch or tag leads to is asked for by its whole name. */
export async function findCommit(git: Git, { directory }: Clone, hash: string): Promise<string | undefined> {
  const known = await commitWithHash(git, directory, hash)
  if (known !== undefined || hash.length < WHOLE_HASH) return known
  // Nothing tidies up a repository that is removed soon.
  await runGit(git, [`--git-dir=${directory}`, 'fetch', '--quiet', '--no-auto-gc', 'origin', hash])
  return commitWithHash(git, directory, hash)
}

const WHOLE_HASH = 40

/** A branch or tag may be called like a hash, and means nothing here; several commits with these digits do not, either. */
async function commitWithHash(git: Git, directory: string, hash: string): Promise<string | undefined> {
  const objects = await gitOutput(git, [`--git-dir=${directory}`, 'rev-parse', `--disambiguate=${hash}`])
  const [first, ...others] = await commitsOf(git, directory, objects)
  return others.length === 0 ? first?.commit : undefined
}
