import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { packageDirectories, readManifest, ROOT } from './executables.ts'
import { withoutComments } from './imports.ts'

/**
 * The inputs of test files: what a file imports, directly or not, and what it names by path. Of what a package exports, only the
 * files count that define what is imported. What programs of a package read when they run belongs to all that imports from it.
 */
export interface TestInputs {
  /** Returns the files that can change the outcome of a test file, as paths from the root, sorted. */
  inputsOf(test: string): readonly string[]
  /** Returns a hash of the contents of all inputs of a test file. */
  hashOf(test: string): string
}

/** Inputs of every test. */
const OF_ALL = [
  'package-lock.json',
  'package.json',
  'scripts/longest-first.ts',
  'scripts/test.d/charge-file.ts',
  'scripts/test.d/note-reads.ts',
  'test/harness/fail-at-warnings.ts',
  'tsconfig.base.json',
  'tsconfig.json',
  'vitest.config.ts',
]

/** Scripts that walk over all packages, but not on behalf of a test. */
const WALKERS = ['scripts/executables.ts', 'scripts/skip-barrels.ts', 'scripts/bundle.ts', 'scripts/test-inputs.ts']
/** Matches what makes everything in the repository an input. */
const WALKS = /\b(?:packageDirectories|executables|testFiles)\(\)|\bshippedExpressions\(ROOT\)/

export function testInputs(root = ROOT): TestInputs {
  const read = remembered((path: string) => readFileSync(join(root, path), 'utf8'))
  const hashes = remembered((path: string) => hash(readFileSync(join(root, path))))
  const packages = packagesIn(root)
  const graph: Graph = { root, read, packages, definitions: remembered((barrel) => definitionsIn(barrel, read)) }
  const everything = once(() => filesBelow(root, ''))
  const usesOf = remembered((path: string) => usesIn(path, graph))
  const inputsOf = remembered((test: string) => {
    const found = reachable(test, usesOf)
    const all = found.has(EVERYTHING) ? everything() : [...found, ...surroundings(test, found, graph)]
    return [...new Set([...all, ...OF_ALL.filter((path) => existsSync(join(root, path)))])].toSorted()
  })
  return {
    inputsOf,
    hashOf: (test) =>
      hash(
        inputsOf(test)
          .map((path) => `${path} ${hashes(path)}\n`)
          .join(''),
      ),
  }
}

/** Returns the test files of all packages, as paths from the root. */
export function testFiles(root = ROOT): readonly string[] {
  return [...packagesIn(root).values()]
    .flatMap((home) => filesBelow(root, `${home}/test`))
    .filter((path) => path.endsWith('.test.ts') && !path.includes('/fixtures/'))
    .toSorted()
}

/** Stands for all files of the repository. */
const EVERYTHING = '*'

interface Graph {
  readonly root: string
  read(path: string): string
  /** Directories of packages, by name. */
  readonly packages: ReadonlyMap<string, string>
  /** Returns where the names are defined that a list of exports contains. */
  definitions(barrel: string): ReadonlyMap<string, string>
}

function packagesIn(root: string): ReadonlyMap<string, string> {
  return new Map(packageDirectories(root).map((home) => [readManifest(home).name, relative(root, home)]))
}

function reachable(start: string, usesOf: (path: string) => readonly string[]): ReadonlySet<string> {
  const found = new Set([start])
  for (const path of found) {
    if (path.endsWith('.ts')) for (const used of usesOf(path)) found.add(used)
  }
  return found
}

/** Returns what belongs to a test and to the packages that it uses: fixtures, and whatever their programs read. */
function surroundings(test: string, found: ReadonlySet<string>, { root, packages }: Graph): readonly string[] {
  const homes = [...packages.values()].filter((home) => [...found].some((path) => path.startsWith(`${home}/`)))
  // A package with set-ups for the tests of others also has their fixtures.
  const setUps = homes.filter((home) => [...found].some((path) => path.startsWith(`${home}/test/`)))
  const fixtures = setUps
    .flatMap((home) => filesBelow(root, `${home}/test`))
    .filter((path) => !path.endsWith('.ts') || path.includes('/fixtures/'))
  const assets = homes.flatMap((home) =>
    filesBelow(root, home).filter((path) => !/^(?:src|test|man)\/|\.md$/.test(path.slice(home.length + 1))),
  )
  return [...fixtures, ...assets]
}

/** Returns what a file imports or names. */
function usesIn(path: string, graph: Graph): readonly string[] {
  const text = withoutComments(graph.read(path))
  if (!WALKERS.includes(path) && WALKS.test(text)) return [EVERYTHING]
  return [...importsIn(path, text, graph), ...namedIn(path, text.replace(IMPORT, ''), graph)]
}

const IMPORT =
  /^(?:import|export)\s+(type\s)?([^'"`=(;]*?)\s*from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm

/** Types do not change what a test does. */
function importsIn(path: string, text: string, graph: Graph): readonly string[] {
  return [...text.matchAll(IMPORT)].flatMap(([, isType, names = '', from, bare, dynamic]) => {
    const specifier = from ?? bare ?? dynamic ?? ''
    if (isType !== undefined) return []
    return specifier.startsWith('.') ? fileAt(join(dirname(path), specifier), graph) : exported(specifier, names, graph)
  })
}

/** Returns the files that define what is imported from a package. */
function exported(specifier: string, names: string, graph: Graph): readonly string[] {
  const [, name = '', entry] = /^(@[^/]+\/[^/]+|[^/]+)(?:\/(.*))?$/.exec(specifier) ?? []
  const home = graph.packages.get(name)
  if (home === undefined) return []
  if (entry !== undefined) return fileAt(placeOfEntry(join(graph.root, home), home, entry), graph)
  const barrel = placeOfEntry(join(graph.root, home), home, '')
  const list = /\{([^}]*)\}/.exec(names)?.[1]
  if (list === undefined) return fileAt(barrel, graph)
  return namesIn(list).map((imported) => graph.definitions(barrel).get(imported) ?? barrel)
}

function placeOfEntry(directory: string, home: string, entry: string): string {
  const { exports = {} } = readManifest(directory) as { readonly exports?: Readonly<Record<string, string>> }
  const place = exports[entry === '' ? '.' : `./${entry}`] ?? exports['./*']?.replace('*', entry) ?? ''
  return join(home, place)
}

function definitionsIn(barrel: string, read: (path: string) => string): ReadonlyMap<string, string> {
  return new Map(
    [...read(barrel).matchAll(/^export (?:type )?\{([^}]*)\} from '(\.\/[^']*)'/gm)].flatMap(
      ([, list = '', from = '']) =>
        list
          .split(',')
          .map((item) => item.trim().split(' ').at(-1) ?? '')
          .map((exportedName) => [exportedName, join(dirname(barrel), from)] as const),
    ),
  )
}

function namesIn(list: string): readonly string[] {
  const items = list.split(',').map((item) => item.trim())
  return items.filter((item) => item !== '' && !item.startsWith('type ')).map((item) => item.split(' ')[0] ?? '')
}

const RELATIVE = /['"`](\.\.?\/[^'"`\n$]*)/g
const FROM_ROOT = /['"`]((?:docs|packages|scripts|test)\/[^'"`\n$]*|README\.md|CHANGELOG\.md)/g

/** Returns what a test or a script names by its path, and what sources name by `new URL(…, import.meta.url)`. */
function namedIn(path: string, text: string, graph: Graph): readonly string[] {
  const isSource = /^packages\/.*\/src\//.test(path)
  const texts = isSource ? [...text.matchAll(/new URL\([^)]*import\.meta\.url\)/g)].map(([url]) => url) : [text]
  const beside = texts.flatMap((part) => [...part.matchAll(RELATIVE)].map(([, name = '']) => join(dirname(path), name)))
  const belowRoot = isSource ? [] : [...text.matchAll(FROM_ROOT)].map(([, name = '']) => name)
  // A package whose name is a text by itself is loaded on behalf of somebody else, such as a model.
  const loaded = [...graph.packages].filter(([name]) => text.includes(`'${name}'`)).map(([name]) => name)
  return [
    // A directory that contains the file means files beside it, which are named by themselves; one below the root means all of it.
    ...beside
      .filter((named) => !path.startsWith(`${named.replace(/\/+$/, '')}/`))
      .flatMap((named) => filesAt(named, graph)),
    ...belowRoot.flatMap((named) => filesAt(named, graph)),
    ...loaded.flatMap((name) => exported(name, '', graph)),
  ]
}

/** Of a package that is named as a whole, its programs may run. */
function filesAt(named: string, graph: Graph): readonly string[] {
  const place = named.replace(/\/+$/, '')
  if (place.startsWith('..') || !existsSync(join(graph.root, place))) return []
  if (!statSync(join(graph.root, place)).isDirectory()) return [place]
  if (place === '.' || place === '') return [EVERYTHING]
  if ([...graph.packages.values()].includes(place)) return filesBelow(graph.root, `${place}/src`)
  return filesBelow(graph.root, place)
}

function fileAt(path: string, { root }: Graph): readonly string[] {
  return existsSync(join(root, path)) && statSync(join(root, path)).isFile() ? [path] : []
}

/** Returns the files below a directory, without what is installed, built or kept by git. */
function filesBelow(root: string, directory: string): readonly string[] {
  if (!existsSync(join(root, directory))) return []
  return readdirSync(join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    const path = directory === '' ? entry.name : `${directory}/${entry.name}`
    if (/^(?:node_modules|dist|\.git|\.turbo)$/.test(entry.name)) return []
    if (entry.isDirectory()) return filesBelow(root, path)
    return entry.isFile() ? [path] : []
  })
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 32)
}

function remembered<Value>(make: (path: string) => Value): (path: string) => Value {
  const made = new Map<string, Value>()
  return (path) => {
    const value = made.get(path) ?? make(path)
    made.set(path, value)
    return value
  }
}

function once<Value>(make: () => Value): () => Value {
  const remember = remembered(make)
  return () => remember('')
}
