import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { packageDirectories, type PackageManifest, readManifest } from './executables.ts'

/** What breaks the rules of the house in the packages below `root`, a line each; see docs/architecture.md. */
export function floorProblems(root: string): readonly string[] {
  const packages = packageDirectories(root).map((directory) => ({ directory, manifest: readManifest(directory) }))
  const byName = new Map(packages.map(({ manifest }) => [manifest.name, manifest]))
  return packages.flatMap(({ directory, manifest }) => {
    const place = relative(root, directory)
    const problems = [
      ...manifestProblems(manifest),
      ...dependencyProblems(manifest, byName),
      ...sourceProblems(directory, manifest),
    ]
    return problems.map((problem) => `${place}: ${problem}`)
  })
}

/** Libraries, and who alone may use them: each is a trade that one package knows. */
const LIBRARY_OWNERS: Readonly<Record<string, string>> = {
  esbuild: '@davit/models',
  execa: '@davit/process',
  'fast-xml-parser': '@davit/languages',
  'jsonc-parser': '@davit/languages',
  ssh2: '@davit/connection',
  'tar-stream': '@davit/files',
  valibot: '@davit/documents',
  yaml: '@davit/languages',
  yargs: '@davit/tool',
}

/** These alone may touch `process`; everybody else is given what it needs. */
const PROCESS_OWNERS = ['@davit/process', '@davit/tool']

const FIELDS: Readonly<Record<string, unknown>> = { version: '0.1.0', private: true, license: 'MIT', type: 'module' }
const FIELD_ORDER = [
  'name',
  'version',
  'private',
  'description',
  'license',
  'type',
  'floor',
  'exports',
  'executables',
  'files',
  'scripts',
  'dependencies',
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

function dependencyProblems(manifest: PackageManifest, byName: ReadonlyMap<string, PackageManifest>): string[] {
  return Object.keys(manifest.dependencies ?? {}).flatMap((name) => {
    const dependency = byName.get(name)
    if (dependency === undefined) return libraryProblems(name, manifest.name)
    if ((dependency.floor ?? Infinity) < (manifest.floor ?? 0)) return []
    return [`depends on '${name}', which is on floor ${dependency.floor}, not below ${manifest.floor}`]
  })
}

function libraryProblems(name: string, user: string): string[] {
  const owner = LIBRARY_OWNERS[name]
  if (owner === user) return []
  return [
    owner === undefined
      ? `depends on '${name}', which nobody agreed on`
      : `depends on '${name}', which only '${owner}' uses`,
  ]
}

function sourceProblems(directory: string, manifest: PackageManifest): string[] {
  const declared = new Set([manifest.name, ...Object.keys(manifest.dependencies ?? {})])
  return sourceFiles(join(directory, 'src')).flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    const place = relative(directory, file)
    const strangers = importedPackages(text).filter((name) => !declared.has(name))
    return [
      ...strangers.map((name) => `${place} imports '${name}', which package.json does not declare`),
      ...(PROCESS_OWNERS.includes(manifest.name) || !touchesProcess(text) ? [] : [`${place} touches 'process'`]),
    ]
  })
}

function sourceFiles(directory: string): string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .toSorted()
    .map((name) => join(directory, name))
}

/** Names of packages, without paths within them; modules of Node and relative imports are free to all. */
function importedPackages(text: string): string[] {
  const specifiers = [...withoutComments(text).matchAll(IMPORTS)].map((match) => match.slice(1).find(Boolean) ?? '')
  const bare = specifiers.filter((specifier) => !/^(\.|node:)/.test(specifier))
  return [...new Set(bare.map(packageOf))]
}

const IMPORTS =
  /^(?:import|export)\s[^'"`=(]*?\bfrom\s+['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm

function packageOf(specifier: string): string {
  const depth = specifier.startsWith('@') ? 2 : 1
  return specifier.split('/').slice(0, depth).join('/')
}

function touchesProcess(text: string): boolean {
  return /(?<![\w.'"`$-])process\.\w|^import .* from 'node:process'/m.test(withoutComments(text))
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[^]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}
