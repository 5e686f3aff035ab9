import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { packageDirectories, type PackageManifest, readManifest, ROOT } from './executables.ts'
import { importsAtTop, importsOf, packageOf, withoutComments } from './imports.ts'

/** Returns the violations of the rules about floors in the packages of `root`, one line each; see docs/architecture.md. */
export function floorProblems(root: string): readonly string[] {
  const packages = packageDirectories(root).map((directory) => ({ directory, manifest: readManifest(directory) }))
  const byName = new Map(packages.map(({ manifest }) => [manifest.name, manifest]))
  const inPackages = packages.flatMap(({ directory, manifest }) => {
    const place = relative(root, directory)
    const problems = [
      ...manifestProblems(manifest),
      ...placeProblems(place, manifest),
      ...dependencyProblems(manifest, byName),
      ...sourceProblems(directory, manifest),
      ...testProblems(directory, manifest, join(root, 'scripts')),
    ]
    return problems.map((problem) => `${place}: ${problem}`)
  })
  return [...inPackages, ...endToEndProblems(root)]
}

/** Libraries, and the only package that may use each. */
const LIBRARY_OWNERS: Readonly<Record<string, string>> = {
  esbuild: '@davit/models',
  execa: '@davit/process',
  'fast-xml-parser': '@davit/languages',
  'jsonc-parser': '@davit/languages',
  re2js: '@davit/stack',
  semver: '@davit/stack',
  ssh2: '@davit/connection',
  'tar-stream': '@davit/files',
  valibot: '@davit/documents',
  yaml: '@davit/languages',
  'yargs-parser': '@davit/tool',
}

/** The only packages that may use `process`; all others receive what they need as arguments. */
const PROCESS_OWNERS = ['@davit/process', '@davit/testing', '@davit/tool']

/** The package with set-ups of tests, which no source may use. */
const SETUPS = '@davit/testing'

/** Libraries of the root package.json that every test and every set-up may use. */
const TEST_LIBRARIES = ['fast-check', 'vitest']

/** Packages that tests may use although they are not on a lower floor. */
const TEST_EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  // It collects what these two leave behind, so their output and its findings must agree.
  '@davit/collect-garbage': ['@davit/generations', '@davit/set'],
}

/** Without `sideEffects: false`, a bundle would contain every module that is imported somewhere, and tools would start more slowly. */
const FIELDS: Readonly<Record<string, unknown>> = { private: true, license: 'MIT', type: 'module', sideEffects: false }
const FIELD_ORDER = [
  'name',
  'private',
  'description',
  'license',
  'type',
  'sideEffects',
  'floor',
  'exports',
  'executables',
  'files',
  'scripts',
  'dependencies',
  'devDependencies',
]

function manifestProblems(manifest: PackageManifest): string[] {
  const fields = Object.keys(manifest)
  const unknown = fields.filter((field) => !FIELD_ORDER.includes(field))
  const sorted = FIELD_ORDER.filter((field) => fields.includes(field))
  return [
    ...(Number.isInteger(manifest.floor) ? [] : ["package.json has no 'floor'"]),
    ...(typeof manifest.description === 'string' ? [] : ["package.json has no 'description'"]),
    ...Object.entries(FIELDS)
      .filter(([field, value]) => manifest[field] !== value)
      .map(([field, value]) => `'${field}' in package.json is not ${JSON.stringify(value)}`),
    ...unknown.map((field) => `'${field}' in package.json is not a field that packages have`),
    ...(unknown.length > 0 || fields.join() === sorted.join()
      ? []
      : [`fields of package.json are not in the order ${sorted.join(', ')}`]),
    ...(manifest.floor === TOOLS && manifest.executables === undefined
      ? ["a tool has no 'executables' in package.json"]
      : []),
  ]
}

const TOOLS = 70

/** Folders of packages. A package belongs in the last of these folders whose floor is not above its own. */
const FOLDERS: readonly (readonly [floor: number, folder: string])[] = [
  [0, 'packages/tests'],
  [5, 'packages/shipped'],
  [10, 'packages/documents'],
  [20, 'packages/planners'],
  [30, 'packages/effects'],
  [40, 'packages/machines'],
  [50, 'packages/workflows'],
  [60, 'packages/toolkit'],
  [TOOLS, 'packages/tools'],
  [75, 'packages/compositions'],
  [80, 'packages'],
]

function placeProblems(place: string, { floor = 0 }: PackageManifest): string[] {
  const [, folder] = FOLDERS.findLast(([lowest]) => lowest <= floor) ?? []
  return folder === undefined || dirname(place) === folder
    ? []
    : [`is in '${dirname(place)}', but packages of floor ${floor} belong in '${folder}'`]
}

function dependencyProblems(manifest: PackageManifest, byName: ReadonlyMap<string, PackageManifest>): string[] {
  const problemsOf = (name: string, use: string, exceptions: readonly string[]): string[] => {
    const dependency = byName.get(name)
    if (dependency === undefined) return libraryProblems(name, manifest.name)
    if ((dependency.floor ?? Infinity) < (manifest.floor ?? 0) || exceptions.includes(name)) return []
    return [`${use} '${name}', which is on floor ${dependency.floor}, not below ${manifest.floor}`]
  }
  const exceptions = TEST_EXCEPTIONS[manifest.name] ?? []
  const { dependencies = {}, devDependencies = {} } = manifest
  return [
    ...Object.keys(dependencies).flatMap((name) => problemsOf(name, 'depends on', [])),
    ...(SETUPS in dependencies ? [`depends on '${SETUPS}', which is for tests`] : []),
    ...Object.keys(devDependencies).flatMap((name) => problemsOf(name, 'has tests that use', exceptions)),
  ]
}

function libraryProblems(name: string, user: string): string[] {
  const owner = LIBRARY_OWNERS[name]
  if (owner === user) return []
  return [
    owner === undefined
      ? `depends on '${name}', which is not in the list of libraries`
      : `depends on '${name}', which only '${owner}' may use`,
  ]
}

function sourceProblems(directory: string, manifest: PackageManifest): string[] {
  const declared = [manifest.name, ...Object.keys(manifest.dependencies ?? {})]
  const free = manifest.name === SETUPS ? [...declared, ...TEST_LIBRARIES] : declared
  return filesOf(join(directory, 'src')).flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    const place = relative(directory, file)
    const imports = importsOf(text)
    const setups = imports.filter((specifier) => /^@davit\/[^/]+\/testing$/.test(specifier))
    return [
      ...undeclared(imports, free).map((name) => `${place} imports '${name}', which package.json does not declare`),
      ...setups.map((specifier) => `${place} imports '${specifier}', which is for tests`),
      ...outside(imports, file, [directory]).map((specifier) => `${place} imports '${specifier}' from another package`),
      ...(PROCESS_OWNERS.includes(manifest.name) || !touchesProcess(text) ? [] : [`${place} uses 'process'`]),
    ]
  })
}

/** Tests may also import from `scripts`: they bundle tools as the installation does, and test the rules about floors. */
function testProblems(directory: string, manifest: PackageManifest, scripts: string): string[] {
  const { dependencies = {}, devDependencies = {} } = manifest
  const free = [manifest.name, ...Object.keys({ ...dependencies, ...devDependencies }), ...TEST_LIBRARIES]
  return filesOf(join(directory, 'test')).flatMap((file) => {
    const imports = importsAtTop(readFileSync(file, 'utf8'))
    const place = relative(directory, file)
    return [
      ...undeclared(imports, free).map((name) => `${place} imports '${name}', which package.json does not declare`),
      ...outside(imports, file, [directory, scripts]).map(
        (specifier) => `${place} imports '${specifier}' from another package`,
      ),
    ]
  })
}

/** Tests across executables are above all floors, and use packages by their public names only. */
function endToEndProblems(root: string): string[] {
  return filesOf(join(root, 'test')).flatMap((file) =>
    outside(
      importsAtTop(readFileSync(file, 'utf8')),
      file,
      ['test', 'scripts'].map((name) => join(root, name)),
    ).map((specifier) => `${relative(root, file)} imports '${specifier}' from a package`),
  )
}

/** Returns imported packages that are not in `free`. Modules of Node and relative imports are always allowed. */
function undeclared(imports: readonly string[], free: readonly string[]): readonly string[] {
  const bare = imports.filter((specifier) => !/^(\.|node:)/.test(specifier))
  return [...new Set(bare.map(packageOf))].filter((name) => !free.includes(name))
}

/** It contains the version of all packages. */
const HOUSE = join(ROOT, 'package.json')

/** Returns the relative imports that are outside of all these directories. */
function outside(imports: readonly string[], file: string, directories: readonly string[]): readonly string[] {
  const isInside = (path: string) => path === HOUSE || directories.some((directory) => path.startsWith(`${directory}/`))
  return imports.filter((specifier) => specifier.startsWith('.') && !isInside(join(dirname(file), specifier)))
}

/** Returns the TypeScript files of a directory, except those in `fixtures`, which tests read but never import. */
function filesOf(directory: string): readonly string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('fixtures/'))
    .toSorted()
    .map((name) => join(directory, name))
}

function touchesProcess(text: string): boolean {
  return /(?<![\w.'"`$-])process\.\w|^import .* from 'node:process'/m.test(withoutComments(text))
}
