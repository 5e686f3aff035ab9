import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sampleOf } from '@davit/testing/effort'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { ALL_SCENARIOS } from '../harness/language.ts'
import { executables, readManifest, ROOT } from '../../scripts/executables.ts'

const directory = mkdtempSync(join(tmpdir(), 'davit-install-'))
const prefix = join(directory, 'moved away')
const names = executables().map(({ name }) => name)

beforeAll(() => {
  const first = join(directory, 'first place')
  mkdirSync(join(first, 'bin'), { recursive: true })
  symlinkSync('../lib/davit/bin/davit-former.cjs', join(first, 'bin/davit-former'))
  writeFileSync(join(first, 'bin/davit-foreign'), 'not ours')
  // It copies what is built already. That the build works is known by then, since all tests here use it.
  const environment = { ...process.env, DAVIT_TEST_PREFIX: inject('prefix') }
  execFileSync(join(ROOT, 'scripts/install'), ['--prefix', first], { stdio: 'pipe', env: environment })
  renameSync(first, prefix)
})
afterAll(() => rmSync(directory, { recursive: true }))

test.each(names)('%s is found by a link that is right wherever it is', (name) => {
  expect(readlinkSync(join(prefix, 'bin', name))).toBe(`../lib/davit/bin/${name}.cjs`)
  expect(existsSync(join(prefix, 'bin', name))).toBe(true)
})

// That every executable starts is tested with what a user meets at the prompt.
test.each(sampleOf(names, 6))('%s runs where it was moved to', (name) => {
  const { status, stdout } = spawnSync(join(prefix, 'bin', name), ['--version'], { encoding: 'utf8' })
  expect({ status, stdout }).toEqual({ status: 0, stdout: `${name} ${String(readManifest(ROOT)['version'])}\n` })
})

const programs = join(prefix, 'lib/davit/programs')

/** Runs a program, and then prints which parts it has loaded, and whether V8 refused the compiled code of any. */
const TELL_PARTS = `
  const { runProgram } = require(process.argv[1])
  const [, , program, ...words] = process.argv
  process.argv = [process.execPath, program, ...words]
  const scripts = runProgram(program)
  process.once('exit', () => {
    const refused = [...scripts.values()].some((script) => script.cachedDataRejected !== false)
    process.stdout.write('\\n' + JSON.stringify({ refused, parts: [...scripts.keys()] }))
  })`

function partsLoadedBy(
  name: string,
  words: readonly string[],
  cwd = directory,
): { readonly refused: boolean; readonly parts: readonly string[] } {
  const loader = join(prefix, 'lib/davit/load-program.cjs')
  const environment = { ...process.env, DAVIT_STORE_DIR: join(directory, 'store'), DAVIT_STATE_DIR: directory }
  const { stdout } = spawnSync(process.execPath, ['-e', TELL_PARTS, loader, join(programs, name), ...words], {
    cwd,
    encoding: 'utf8',
    env: environment,
  })
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as ReturnType<typeof partsLoadedBy>
}

const DAMAGES = [
  (code: Buffer) => code.subarray(0, 1000),
  () => '',
  (code: Buffer) => Buffer.alloc(code.length),
  () => undefined,
]

/** Every program is loaded by the same code, so that each kind of damage at one of them is enough. */
const toBeDamaged = sampleOf(names, DAMAGES.length)
const damagesOf = (name: string) =>
  ALL_SCENARIOS ? DAMAGES : DAMAGES.filter((_, index) => toBeDamaged[index] === name)

/** What each program loads if its usage is wrong. */
const partsForUsage = new Map<string, readonly string[]>()

test.each(names)('the compiled code of %s is used, and not needed', (name) => {
  const { refused, parts } = partsLoadedBy(name, ['--wrong'])
  expect(refused).toBe(false)
  partsForUsage.set(name, parts)
  const caches = parts.map((part) => part.replace(/js$/, 'cache'))
  const compiled = caches.map((cache) => readFileSync(cache))
  for (const damage of damagesOf(name)) {
    for (const [number, code] of compiled.entries()) {
      const damaged = damage(code)
      if (damaged === undefined) rmSync(caches[number] ?? '')
      else writeFileSync(caches[number] ?? '', damaged)
    }
    const run = spawnSync(join(prefix, 'bin', name), ['--version'], { encoding: 'utf8' })
    expect(run).toMatchObject({ status: 0, stderr: '' })
  }
  for (const [number, code] of compiled.entries()) writeFileSync(caches[number] ?? '', code)
})

test('tools that work use compiled code for all parts that they load', () => {
  const work = join(directory, 'work')
  mkdirSync(work)
  writeFileSync(join(work, 'empty.json'), '{}')
  const models = ['-s', 'empty.json', '-i', 'empty.json', '-d', 'empty.json']
  for (const [name, words, result] of [
    ['davit-normalize', [...models, '--output', 'architecture.json'], 'architecture.json'],
    ['davit-manifest', ['architecture.json', '--format', 'json', '--output', 'manifest.json'], 'manifest.json'],
    ['davit-convert', ['--to', 'xml', 'manifest.json', '--output', 'manifest.xml'], 'manifest.xml'],
    ['davit-plan', ['--from', 'manifest.json', 'manifest.json', '--out', 'plan.json'], 'plan.json'],
    ['davit-visualize', ['manifest.json', '--format', 'html', '--output', 'picture.html'], 'picture.html'],
  ] as const) {
    const { refused, parts } = partsLoadedBy(name, words, work)
    expect({ name, refused }).toEqual({ name, refused: false })
    // Besides its first part, it has loaded what does the work.
    expect(parts.length).toBeGreaterThan(3)
    expect(existsSync(join(work, result))).toBe(true)
  }
})

/** For each library, the parts that contain it. */
const partsOf = new Map<string, readonly string[]>()
beforeAll(() => {
  const parts = readdirSync(programs).filter((file) => file.endsWith('.js'))
  const texts = parts.map((file) => [join(programs, file), readFileSync(join(programs, file), 'utf8')] as const)
  for (const library of ['XMLParser', 'ssh-userauth', 'safeParse', 'forceKillAfterDelay']) {
    partsOf.set(
      library,
      texts.flatMap(([path, text]) => (text.includes(library) ? [path] : [])),
    )
  }
})

/** To print its version, a program loads no more than to refuse an option; at some of them, that is tried as well. */
const versions = sampleOf(names, 4)

test.each(names)('%s --version and wrong usage load none of the libraries that do the work', (name) => {
  const loaded = [
    ...(partsForUsage.get(name) ?? partsLoadedBy(name, ['--wrong']).parts),
    ...(versions.includes(name) ? partsLoadedBy(name, ['--version']).parts : []),
  ]
  for (const [library, parts] of partsOf) {
    expect({ library, parts }).not.toEqual({ library, parts: [] })
    expect(loaded.filter((part) => parts.includes(part))).toEqual([])
  }
})

test('an installation has pages, completions and what tools read', () => {
  for (const name of names) {
    expect(existsSync(join(prefix, 'share/man/man1', `${name}.1`))).toBe(true)
    expect(existsSync(join(prefix, 'share/bash-completion/completions', name))).toBe(true)
  }
  for (const schema of ['mufile', 'muspace']) {
    expect(existsSync(join(prefix, 'share/davit/schemas', `${schema}.json`))).toBe(true)
  }
  expect(readdirSync(join(prefix, 'lib')).toSorted()).toEqual(['davit'])
  expect(readdirSync(join(prefix, 'lib/davit')).toSorted()).toEqual([
    'api',
    'bin',
    'load-program.cjs',
    'modules',
    'nix',
    'node_modules',
    'package.json',
    'page',
    'programs',
    'runtime',
    'stack-library',
    'target-programs',
  ])
})

test('an installation removes its former executables and leaves those of others alone', () => {
  const installed = readdirSync(join(prefix, 'bin'))
  expect(installed).not.toContain('davit-former')
  expect(installed).toContain('davit-foreign')
})

test('an installation has the licences of davit and of all that is in its executables', () => {
  const notices = join(prefix, 'share/doc/davit')
  expect(readFileSync(join(notices, 'LICENSE'), 'utf8')).toBe(readFileSync(join(ROOT, 'LICENSE'), 'utf8'))
  const parts = readdirSync(programs).filter((file) => file.endsWith('.js'))
  const bundles = [...parts.map((part) => join(programs, part)), join(prefix, 'lib/davit/api/davit.mjs')]
  // The bundles say where each module is from.
  const modules = bundles.flatMap((bundle) => [
    ...readFileSync(bundle, 'utf8').matchAll(
      /^ *\/\/ (node_modules\/(?:.*\/node_modules\/)?(?:@[^/\n]+\/)?[^/\n]+)\//gm,
    ),
  ])
  const packages = [...new Set(modules.map(([, directory = '']) => directory))]
  expect(packages).toContain('node_modules/yargs-parser')
  const withoutNotice = packages.filter((directory) => {
    const { name, version } = readManifest(join(ROOT, directory))
    const place = join(notices, 'licences', `${name}@${String(version)}`)
    return !existsSync(place) || !/permission|licen[cs]e/i.test(textsIn(place))
  })
  expect(withoutNotice).toEqual([])
})

function textsIn(directory: string): string {
  return readdirSync(directory)
    .map((name) => readFileSync(join(directory, name), 'utf8'))
    .join('\n')
}

test('nothing installed refers to the clone', () => {
  const files = readdirSync(prefix, { recursive: true, encoding: 'utf8', withFileTypes: true })
  const texts = files.filter((file) => file.isFile() && !file.parentPath.includes('node_modules'))
  const referring = texts.filter((file) => readFileSync(join(file.parentPath, file.name)).includes(ROOT))
  expect(referring.map(({ name }) => name)).toEqual([])
})

test('an installation evaluates typed models', () => {
  const models = join(directory, 'models')
  mkdirSync(models)
  writeFileSync(
    join(models, 'services.ts'),
    "import { defineServices } from 'davit'\nexport default defineServices(() => ({}))\n",
  )
  writeFileSync(
    join(models, 'infrastructure.yaml'),
    'machine: { properties: { hostname: localhost }, clientInterface: local }\n',
  )
  writeFileSync(join(models, 'distribution.yaml'), '{}\n')
  const options = ['-s', 'services.ts', '-i', 'infrastructure.yaml', '-d', 'distribution.yaml']
  const environment = {
    ...process.env,
    DAVIT_STORE_DIR: join(directory, 'store'),
    DAVIT_STATE_DIR: join(directory, 'state'),
  }
  const { status, stdout, stderr } = spawnSync(join(prefix, 'bin/davit'), ['normalize', ...options], {
    cwd: models,
    encoding: 'utf8',
    env: environment,
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(JSON.parse(stdout)).toMatchObject({ document: 'architecture', infrastructure: { machine: {} } })
})

test.each([
  [[], 'usage: scripts/install --prefix DIR'],
  [['--prefix'], '--prefix needs a directory'],
  [['--perfix', 'x'], "unknown argument '--perfix'"],
])('scripts/install %j is wrong usage', (words, message) => {
  const { status, stderr } = spawnSync(join(ROOT, 'scripts/install'), words, { encoding: 'utf8' })
  expect(status).toBe(64)
  expect(stderr).toContain(message)
})

test('an installation has the types that typed models import, for editors anywhere', () => {
  const project = join(directory, 'project')
  mkdirSync(project)
  writeFileSync(
    join(project, 'wrong.ts'),
    "import { defineServices, source } from 'davit'\nexport default defineServices({ web: { type: 1, pkg: source('./web') } })\n",
  )
  writeFileSync(
    join(project, 'right.ts'),
    "import { defineServices, source } from 'davit'\nexport default defineServices({ web: { type: 'process', pkg: source('./web') } })\n",
  )
  const paths = { davit: [join(prefix, 'lib/davit/api/davit.d.ts')] }
  const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', types: [], paths }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', project], { encoding: 'utf8' })
  expect(stdout.match(/^\S.*error TS\d+:/gm)).toEqual([expect.stringMatching(/wrong\.ts\(2,\d+\): error TS2322:/)])
  expect(stdout).toContain("Type 'number' is not assignable to type 'string'")
})
