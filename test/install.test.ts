import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { executables, readManifest, ROOT } from '../scripts/executables.ts'

const directory = mkdtempSync(join(tmpdir(), 'davit-install-'))
const prefix = join(directory, 'moved away')
const names = executables().map(({ name }) => name)

beforeAll(() => {
  const first = join(directory, 'first place')
  mkdirSync(join(first, 'bin'), { recursive: true })
  symlinkSync('../lib/davit/bin/davit-former.cjs', join(first, 'bin/davit-former'))
  writeFileSync(join(first, 'bin/davit-foreign'), 'not ours')
  execFileSync(join(ROOT, 'scripts/install'), ['--prefix', first], { stdio: 'pipe' })
  renameSync(first, prefix)
}, 180_000)
afterAll(() => rmSync(directory, { recursive: true }))

test.each(names)('%s runs where it was moved to', (name) => {
  const { status, stdout } = spawnSync(join(prefix, 'bin', name), ['--version'], { encoding: 'utf8' })
  expect({ status, stdout }).toEqual({ status: 0, stdout: `${name} 0.1.0\n` })
})

test('an installation has pages, completions and what tools read', () => {
  for (const name of names) {
    expect(existsSync(join(prefix, 'share/man/man1', `${name}.1`))).toBe(true)
    expect(existsSync(join(prefix, 'share/bash-completion/completions', name))).toBe(true)
  }
  expect(readdirSync(join(prefix, 'lib')).toSorted()).toEqual(['davit'])
  expect(readdirSync(join(prefix, 'lib/davit')).toSorted()).toEqual([
    'api',
    'bin',
    'modules',
    'nix',
    'node_modules',
    'package.json',
    'runtime',
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
  const bundles = [
    ...readdirSync(join(prefix, 'lib/davit/bin')).map((name) => join(prefix, 'lib/davit/bin', name)),
    join(prefix, 'lib/davit/api/davit.mjs'),
  ]
  // Above each module, esbuild says where it is from.
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
    join(project, 'services.ts'),
    "import { defineServices, source } from 'davit'\nexport default defineServices({ web: { type: 1, pkg: source('./web') } })\n",
  )
  const paths = { davit: [join(prefix, 'lib/davit/api/davit.d.ts')] }
  const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', types: [], paths }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  const check = () => spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', project], { encoding: 'utf8' })
  expect(check().stdout).toMatch(
    /^.*services\.ts\(2,\d+\): error TS2322: Type 'number' is not assignable to type 'string'/,
  )
  const text = readFileSync(join(project, 'services.ts'), 'utf8')
  writeFileSync(join(project, 'services.ts'), text.replace('type: 1', "type: 'process'"))
  expect(check()).toMatchObject({ status: 0, stdout: '' })
})
