import { posix } from 'node:path'
import { quoted } from '@davit/diagnostics'
import { unpackArchive } from '@davit/files'
import { type FoundVersion, languageOf, MUFILES, scanMetadata } from '@davit/stack'
import { checkTree } from './check-tree.ts'
import { RECORD_BYTES } from './fetch-limits.ts'
import type { Clone, Entry } from './clone.ts'
import { MAX_BYTES, TOO_LARGE } from './stack-files.ts'
import { textTail } from './text-tail.ts'
import { badRepository, type Git, gitRecords, reasonIn, startGit } from './git.ts'

/** A repository on this machine, and how to read it. */
export interface Source {
  readonly git: Git
  readonly clone: Clone
}

/** A directory of a commit. */
export interface Tree {
  readonly commit: string
  readonly directory: string
}

/** The files of a stack in a commit. */
export interface StackTree extends Tree {
  /** Its stack file. */
  readonly mufile: Entry
  /** Directories that are other repositories, which are not fetched. */
  readonly submodules: readonly string[]
}

/** Finds a stack in a commit; undefined if the directory has no stack file there. */
export async function findTree(source: Source, tree: Tree): Promise<StackTree | undefined> {
  const prefix = prefixOf(tree.directory)
  const entries = (await entriesOf(source, tree.commit)).filter(({ path }) => path.startsWith(prefix))
  const [mufile] = MUFILES.flatMap((name) => entries.find(({ path }) => path === `${prefix}${name}`) ?? [])
  if (mufile === undefined || !mufile.mode.startsWith(FILE)) return undefined
  const submodules = entries.filter(({ mode }) => mode === SUBMODULE).map(({ path }) => path.slice(prefix.length))
  return { ...tree, mufile, submodules }
}

/** Lists the directories of a commit that have a stack file. */
export async function stackDirectories(source: Source, commit: string): Promise<readonly string[]> {
  const entries = await entriesOf(source, commit)
  const mufiles = entries.filter(
    ({ mode, path }) => mode.startsWith(FILE) && MUFILES.some((name) => name === posix.basename(path)),
  )
  return [...new Set(mufiles.map(({ path }) => posix.dirname(path)))]
}

/** Lists the files and links of a directory of a commit, by their paths in it. */
export async function filesOf(source: Source, { commit, directory }: Tree): Promise<readonly Entry[]> {
  const prefix = prefixOf(directory)
  return (await entriesOf(source, commit))
    .filter(({ mode, path }) => mode !== SUBMODULE && path.startsWith(prefix))
    .map((entry) => ({ ...entry, path: entry.path.slice(prefix.length) }))
}

function prefixOf(directory: string): string {
  return directory === '' ? '' : `${directory}/`
}

/** Modes of entries of a tree, in octal digits. */
const FILE = '100'
const SUBMODULE = '160000'
const DIRECTORY = '040000'

/** Lists a commit, once for all stacks in it; those that were looked at long ago are forgotten. */
async function entriesOf({ git, clone }: Source, commit: string): Promise<readonly Entry[]> {
  const key = `${clone.directory} ${commit}`
  const known = clone.listings.get(key)
  if (known !== undefined) return known
  const entries = await listCommit({ git, clone }, commit)
  let room = clone.limits.listed - entries.length
  for (const [other, { length }] of [...clone.listings].toReversed()) {
    room -= length
    if (room < 0) clone.listings.delete(other)
  }
  clone.listings.set(key, entries)
  return entries
}

async function listCommit({ git, clone }: Source, commit: string): Promise<readonly Entry[]> {
  const { listed } = clone.limits
  const listing = {
    // Directories count as well: of a tree without files, nothing else would be listed.
    words: [`--git-dir=${clone.directory}`, 'ls-tree', '-r', '-t', '-z', '--full-tree', commit],
    end: '\0',
    maxRecords: listed,
    maxBytes: RECORD_BYTES * listed,
    tooMany: `its commit ${commit.slice(0, 7)} has more than ${listed} files and directories, or paths that are too long`,
  } as const
  const entries: Entry[] = []
  for await (const line of gitRecords(git, listing)) entries.push(...parseEntry(line))
  return entries
}

function parseEntry(line: string): Entry[] {
  const [, mode = '', object = '', path = ''] = /^(\d+) \S+ (\S+)\t([^]*)$/.exec(line) ?? []
  return path === '' || mode === DIRECTORY ? [] : [{ mode, object, path }]
}

/** Reads which version a stack states, and adds its commit. */
export async function statedVersion({ git, clone }: Source, { mufile, commit }: StackTree): Promise<FoundVersion> {
  const content = await mufileText({ git, clone }, mufile)
  return { version: scanMetadata(content, languageOf(mufile.path)).get('version'), commit }
}

/** Reads a stack file of a repository, which may be of any size, as far as a stack file may be long. */
async function mufileText({ git, clone }: Source, { object, path }: Entry): Promise<string> {
  const blob = await startGit(git, [`--git-dir=${clone.directory}`, 'cat-file', 'blob', object])
  blob.stdin.end()
  const chunks: Buffer[] = []
  let size = 0
  try {
    const complaints = textTail(blob.stderr)
    for await (const chunk of blob.stdout as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MAX_BYTES) throw badRepository(`cannot read ${quoted(path)}: ${TOO_LARGE}`)
      chunks.push(chunk)
    }
    if ((await blob.exit) !== 0) throw badRepository(reasonIn(await complaints))
  } finally {
    blob.kill()
  }
  return Buffer.concat(chunks).toString()
}

function nameOf({ commit, directory }: Tree): string {
  return directory === '' ? commit : `${commit}:${directory}`
}

/** Refuses what a look at the list shows to be too much, before anything is unpacked. */
async function checkFiles(source: Source, tree: Tree): Promise<void> {
  const { stackDepth, stackEntries } = source.clone.limits
  const files = await filesOf(source, tree)
  if (files.length > stackEntries) throw badRepository(`it has more than ${stackEntries} files`)
  const deep = files.find(({ path }) => path.split('/').length > stackDepth + 1)
  if (deep !== undefined)
    throw badRepository(`it contains ${quoted(deep.path)}, below more than ${stackDepth} directories`)
}

/** Unpacks a stack into a directory that does not exist yet. Git has no say in what is written, and where. */
export async function unpackTree({ git, clone }: Source, tree: Tree, into: string): Promise<void> {
  await checkFiles({ git, clone }, tree)
  const limits = { maxEntries: clone.limits.stackEntries, maxBytes: clone.limits.stackBytes }
  const archive = await startGit(git, [`--git-dir=${clone.directory}`, 'archive', '--format=tar', nameOf(tree)])
  archive.stdin.end()
  const [complaints] = await Promise.all([
    textTail(archive.stderr),
    unpackArchive(archive.stdout, into, limits),
  ]).finally(() => archive.kill())
  if ((await archive.exit) !== 0) throw badRepository(reasonIn(complaints))
  checkTree(into)
}
