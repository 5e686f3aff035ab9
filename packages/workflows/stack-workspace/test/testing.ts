import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { chooseTarget, compileStack, type CompileOutcome, type StackFiles } from '@davit/stack'
import { scratchDirectory } from '@davit/testing/scratch'
import {
  compileOptions,
  FETCH_LIMITS,
  fetchStacks,
  openStack,
  pinsOf,
  stackFiles,
  type FetchOutcome,
} from '../src/stack-workspace.ts'

/** Contents of files by their paths. */
export type Tree = Readonly<Record<string, string>>

export function writeTree(directory: string, tree: Tree): void {
  for (const [path, content] of Object.entries(tree)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), content)
  }
}

/** A configuration of git that belongs to no user. */
const GIT_ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_AUTHOR_DATE: '2016-12-01T00:00:00Z',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.org',
  GIT_COMMITTER_DATE: '2016-12-01T00:00:00Z',
}

/** Without a process that looks whether something is to be tidied up. */
const UNTIDIED = ['-c', 'gc.auto=0', '-c', 'maintenance.auto=false']

export interface Repository {
  readonly url: string
  readonly directory: string
  git(words: readonly string[], input?: string): string
  /** Commits a tree and tags it; returns the commit. */
  commit(tree: Tree, ...tags: readonly string[]): string
}

export function makeRepository(...words: readonly string[]): Repository {
  return makeRepositoryIn(scratchDirectory(), ...words)
}

/** Makes a repository in an empty directory, for several tests, which only read it. */
export function makeRepositoryIn(directory: string, ...words: readonly string[]): Repository {
  const git = (words: readonly string[], input = '') => {
    const { status, stdout, stderr } = spawnSync('git', ['-C', directory, ...words], {
      env: GIT_ENVIRONMENT,
      input,
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`git ${words.join(' ')}: ${stderr}`)
    return stdout.trim()
  }
  git(['init', '--quiet', '--template=', '--initial-branch=main', ...words])
  const reference = (name: string) => join(directory, '.git/refs', name)
  return {
    url: `file://${directory}`,
    directory,
    git,
    commit(tree, ...tags) {
      writeTree(directory, tree)
      git(['add', '--all', '--force'])
      git([...UNTIDIED, 'commit', '--quiet', '--allow-empty', '-m', 'x'])
      const hash = existsSync(reference('heads/main'))
        ? readFileSync(reference('heads/main'), 'utf8').trim()
        : git(['rev-parse', 'HEAD'])
      for (const tag of tags) {
        mkdirSync(dirname(reference(`tags/${tag}`)), { recursive: true })
        writeFileSync(reference(`tags/${tag}`), `${hash}\n`)
      }
      return hash
    },
  }
}

/** Makes a commit of a tree that git itself would not add: entries are `MODE TYPE OBJECT\tNAME`, with the object of a text for `=text`. */
export function commitTree(
  repository: Repository,
  entries: readonly (readonly [mode: string, name: string, content: string])[],
): string {
  const lines = entries.map(([mode, name, content]) => {
    const isTree = mode === '040000'
    const object =
      mode === '160000' ? content : isTree ? content : repository.git(['hash-object', '-w', '--stdin'], content)
    return `${mode} ${isTree ? 'tree' : mode === '160000' ? 'commit' : 'blob'} ${object}\t${name}`
  })
  const tree = repository.git(['mktree', '--missing'], `${lines.join('\n')}\n`)
  const commit = repository.git(['commit-tree', tree, '-m', 'x'])
  repository.git(['update-ref', 'refs/heads/main', commit])
  return commit
}

/** Makes a tree of one file, and returns its name. */
export function treeOf(repository: Repository, name: string, content: string): string {
  const object = repository.git(['hash-object', '-w', '--stdin'], content)
  return repository.git(['mktree'], `100644 blob ${object}\t${name}\n`)
}

/** A stack that others can use, and that needs nothing but what davit ships. */
export function stack(name: string, version?: string): string {
  const stated = version === undefined ? '' : `version: ${version}\n`
  return `name: ${name}\n${stated}properties: { size: { type: number, optional: true } }\nservices: { public: { c: { type: mu/container } } }\n`
}

/** A stack of services of these types. */
export function user(...types: readonly string[]): string {
  const services = types.map((type, index) => `    s${index}: { type: "${type}" }\n`)
  return `name: shop\nservices:\n  public:\n${services.join('')}`
}

export interface Shop {
  readonly root: string
  readonly home: string
  /** Codes and fields of what was reported. */
  readonly reports: string[]
  fetch(options?: Partial<Parameters<typeof fetchStacks>[0]>): Promise<FetchOutcome>
  compile(files?: StackFiles): CompileOutcome
  pins(): string
}

/** A workspace that refers to stacks in repositories. */
export function makeShop(tree: Tree, repositories: Readonly<Record<string, string>>, pins: Tree = {}): Shop {
  return makeShopIn(scratchDirectory(), tree, repositories, pins)
}

/** Such a workspace in a directory. */
export function makeShopIn(
  directory: string,
  tree: Tree,
  repositories: Readonly<Record<string, string>>,
  pins: Tree = {},
): Shop {
  const [root, home] = [join(directory, 'shop'), join(directory, 'home')]
  mkdirSync(home)
  const workspace = JSON.stringify({ repositories, dependencies: pins })
  writeTree(root, { 'Muspace.json': workspace, ...tree })
  const files = stackFiles(root)
  const reports: string[] = []
  const compile = (seen: StackFiles = files) => {
    const opened = openStack(root, seen)
    const choice = { cluster: undefined, target: undefined, hasInfrastructure: false, skipsCode: true }
    const chosen = chooseTarget(opened.workspace, choice)
    const compiling = { files: seen, environment: { HOME: home }, chosen, words: [], skipsCode: true }
    return compileStack(opened.path!, compileOptions(opened, compiling))
  }
  return {
    root,
    home,
    reports,
    compile,
    fetch: (options = {}) =>
      fetchStacks({
        files,
        workspace: openStack(root, files).workspace,
        root,
        temporary: mkdtempSync(join(directory, 'tmp-')),
        git: { environment: { ...GIT_ENVIRONMENT, HOME: home }, signal: new AbortController().signal },
        report: (event) => {
          if ('fields' in event && 'code' in event) reports.push([event.code, ...Object.values(event.fields)].join(' '))
        },
        limits: FETCH_LIMITS,
        isUpdate: false,
        isDryRun: false,
        compile,
        ...options,
      }),
    pins() {
      const outcome = compile()
      if (outcome.kind !== 'compiled') throw new Error(JSON.stringify(outcome.findings))
      return pinsOf(outcome.stack)
    },
  }
}

/** How a user runs git, with a configuration of theirs. */
export function gitOf(settings: Readonly<Record<string, string>>, variables: Tree = {}) {
  const environment: Record<string, string> = { ...GIT_ENVIRONMENT, HOME: '/nonexistent', ...variables }
  for (const [index, [key, value]] of Object.entries(settings).entries()) {
    environment[`GIT_CONFIG_KEY_${index}`] = key
    environment[`GIT_CONFIG_VALUE_${index}`] = value
  }
  environment['GIT_CONFIG_COUNT'] = String(Object.keys(settings).length)
  return { environment, signal: new AbortController().signal }
}

/** A directory of programs that are found before those of the system. */
export function programsOf(programs: Tree): string {
  const directory = scratchDirectory()
  for (const [name, script] of Object.entries(programs))
    writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return `${directory}:${process.env['PATH']}`
}

/** All files below a directory, without those of git. */
export function filesIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .toSorted()
}

export function textIn(directory: string, path: string): string {
  return readFileSync(join(directory, path), 'utf8')
}
