import { join } from 'node:path'
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
export async function cloneRepository(git: Git, { url, isNamed }: Address, directory: string): Promise<Clone> {
  const path = join(directory, 'repository')
  const { exitCode, stderr } = await runGit(git, ['clone', '--quiet', '--bare', '--template=', '--', url, path])
  if (exitCode !== 0) {
    throw new DavitError('unreachable-repository', `cannot fetch '${withoutPassword(url)}': ${reasonIn(stderr)}`, {
      exitStatus: ExitStatus.unreachable,
      hint: isNamed ? CHECK_ADDRESS : NO_ENTRY,
      fields: { repository: withoutPassword(url) },
    })
  }
  const refs = await gitOutput(git, ['-C', path, 'for-each-ref', `--format=${REF_FORMAT}`, 'refs/tags'])
  const tags = refs.split('\n').flatMap(parseTag)
  return { url, directory: path, tags, head: await commitOf(git, path, 'HEAD'), listings: new Map() }
}

/** Name, and the object that it leads to, through an annotated tag. */
const REF_FORMAT = '%(refname:strip=2) %(objecttype) %(objectname) %(*objecttype) %(*objectname)'

function parseTag(line: string): Tag[] {
  const [name = '', type, object = '', peeledType, peeled = ''] = line.split(' ')
  if (type === 'commit') return [{ name, commit: object }]
  return peeledType === 'commit' ? [{ name, commit: peeled }] : []
}

async function commitOf(git: Git, directory: string, name: string): Promise<string | undefined> {
  const words = ['-C', directory, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]
  const { exitCode, stdout } = await runGit(git, words)
  return exitCode === 0 ? stdout.trim() : undefined
}

/** Finds a commit by its hash of 7 or 40 digits; one that no branch or tag leads to is asked for by its whole name. */
export async function findCommit(git: Git, { directory }: Clone, hash: string): Promise<string | undefined> {
  const known = await commitOf(git, directory, hash)
  if (known !== undefined || hash.length < WHOLE_HASH) return known
  await runGit(git, ['-C', directory, 'fetch', '--quiet', '--no-tags', 'origin', hash])
  return commitOf(git, directory, hash)
}

const WHOLE_HASH = 40
