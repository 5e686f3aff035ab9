import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

import {
  Architecture,
  type BuildSpec,
  encodeDocument,
  Manifest,
  parseDocument,
  type ServiceName,
  validateDocument,
} from '@davit/documents'
import { environment } from '@davit/process'
import { currentSystem, openNativeStore } from '@davit/store'
import { scratchDirectory } from '@davit/testing/scratch'
import { type CallHere, runHere } from '@davit/tool/testing'
import { beforeEach, describe, expect, test } from 'vitest'

import { tool } from '../src/main.ts'

const HERE = currentSystem(environment())

let directory: string
beforeEach(() => {
  directory = scratchDirectory()
})

const call = (input?: string): CallHere => ({
  directory,
  environment: { HOME: directory, DAVIT_STATE_DIR: path('state'), DAVIT_STORE_DIR: path('store') },
  ...(input === undefined ? {} : { input }),
})
const path = (name: string) => join(directory, name)
const manifest = (argv: readonly string[], input?: string) => runHere(tool, argv, call(input))
const parsed = (text: string) => parseDocument(Manifest, text, { file: 'printed' })
const packageName = (one: string) => basename(one).slice(33)
/** Names of the packages in the store. */
const built = () =>
  (existsSync(path('store')) ? readdirSync(path('store')) : [])
    .filter((name) => /^[0-9a-z]{32}-[^.]*$/.test(name))
    .map(packageName)

/** The architecture of services with these build scripts, on the target `t1`; `t2` has nothing. */
async function architecture(scripts: Readonly<Record<string, string>>, type = 'wrapper'): Promise<string> {
  mkdirSync(path('modules'), { recursive: true })
  writeFileSync(path('modules/own'), '#!/bin/sh\n', { mode: 0o755 })
  const store = await openNativeStore({ directory: path('store'), environment: call().environment ?? {} })
  const names = Object.keys(scripts)
  const packages = await store.instantiate(
    names.map((name) => ({
      spec: build(name, scripts[name] ?? ''),
      system: HERE,
      wantedBy: { service: name as ServiceName },
    })),
  )
  const none = { dependsOn: {}, connectsTo: {}, activatesAfter: {}, attributes: {}, providesContainers: {} }
  const services = names.map((name, index) => [
    name,
    {
      name,
      type,
      deployState: false,
      ...none,
      targets: [{ target: 't1', container: type }],
      packages: { [HERE]: packages[index] },
    },
  ])
  const described = { numOfCores: 1, clientInterface: 'local', targetProperty: 'hostname', system: HERE }
  const target = { properties: { hostname: 'localhost' }, containers: { [type]: {} }, ...described }
  const document = {
    store: { ...store.reference },
    services: Object.fromEntries(services) as object,
    infrastructure: { t1: target, t2: target },
    targetPackages: { t1: [], t2: [] },
  }
  return encodeDocument(Architecture, validateDocument(Architecture, document, { file: 'architecture' }), 'json')
}

function build(name: string, script: string): BuildSpec {
  const nothing = new Map<string, never>()
  return { kind: 'build', name, script, sources: nothing, env: nothing, inputs: nothing, network: false }
}

const ONE = 'echo one >$out'

describe('davit-manifest', () => {
  test('builds what the store lacks, says so, and prints a manifest with a profile for each target', async () => {
    const { status, stdout, stderr } = await manifest([], await architecture({ web: ONE, api: 'echo two >$out' }))
    expect([status, stderr.trimEnd().split('\n').toSorted()]).toEqual([0, ['build api: done', 'build web: done']])
    expect(stdout).toMatch(/^<\?xml /)
    const { profiles, services, serviceMappings } = parsed(stdout)
    expect([...profiles].map(([name, one]) => [name, packageName(one)])).toEqual([
      ['t1', 't1'],
      ['t2', 't2'],
    ])
    expect([...services.values()].map(({ name, pkg }) => `${name} ${packageName(pkg)}`).toSorted()).toEqual([
      'api api',
      'web web',
    ])
    expect(serviceMappings.map(({ target, container }) => `${target} ${container}`)).toEqual([
      't1 wrapper',
      't1 wrapper',
    ])
    const profile = profiles.get('t1' as never) ?? ''
    expect(readdirSync(join(profile, 'modules'))).toContain('wrapper')
  })

  test('builds nothing of what is there, and prints the same again, in the format that is wanted', async () => {
    const input = await architecture({ web: ONE })
    const first = await manifest([], input)
    expect(await manifest([], input)).toEqual({ status: 0, stderr: '', stdout: first.stdout })
    const json = await manifest(['--format', 'json'], input)
    expect([json.status, json.stderr, parsed(json.stdout)]).toEqual([0, '', parsed(first.stdout)])
    expect(JSON.parse(json.stdout)).toMatchObject({ document: 'manifest' })
  })

  test('writes the manifest into a file on request, and reads the architecture from one', async () => {
    writeFileSync(path('architecture.json'), await architecture({ web: ONE }))
    const words = ['--output', path('manifest.xml'), path('architecture.json')]
    expect(await manifest(words)).toMatchObject({ status: 0, stdout: '' })
    expect(existsSync(path('manifest.xml'))).toBe(true)
  })

  test('builds the others if one cannot be built, shows the end of its log, and prints no manifest', async () => {
    const input = await architecture({ bad: 'echo first; echo it lacks a thing >&2; exit 3', web: ONE })
    const { status, stdout, stderr } = await manifest(['-j', '1'], input)
    expect([status, stdout, built()]).toEqual([1, '', expect.arrayContaining(['web'])])
    expect(built()).not.toContain('bad')
    expect(stderr).toContain('build web: done\n')
    expect(stderr).toMatch(
      /^error: the build of 'bad' ended with exit status 3\n  \| first\n  \| it lacks a thing\n  hint: the whole log is in '.*-bad\.log'\ndavit-manifest: cannot build 1 of 2 packages \[build-failed\]\n/m,
    )
  })

  test('names types without a module before anything is built, and takes own modules', async () => {
    const input = await architecture({ web: ONE }, 'own')
    const { status, stdout, stderr } = await manifest([], input)
    expect([status, stdout, built()]).toEqual([65, '', []])
    expect(stderr).toMatch(/^davit-manifest: .* \[no-module\]$/m)
    expect(stderr).toContain("'own'")
    const made = await manifest(['--modules', path('modules')], input)
    expect([made.status, readdirSync(join(parsed(made.stdout).profiles.get('t1' as never) ?? '', 'modules'))]).toEqual([
      0,
      ['own', 'own.activities'],
    ])
  })

  test('stops when it is interrupted, and says what is kept', async () => {
    const input = await architecture({ web: ONE, later: 'while :; do sleep 0.05; done' })
    const { status, stdout, stderr } = await runHere(tool, ['-j', '2'], {
      ...call(input),
      onErrors: (printed, interrupt) => void (printed.includes('build web: done') && interrupt()),
    })
    expect([status, stdout]).toEqual([130, ''])
    expect(stderr).toContain('no target was touched; finished builds are kept, and the same command builds the rest')
    expect(built()).toContain('web')
  })

  test.each([
    ['an empty document', [], '', 66, 'the previous tool in the pipe probably failed'],
    ['a document of another kind', [], '{"document":"manifest","version":2}', 65, 'architecture'],
    [
      'a deployment model beside an architecture',
      ['-D', 'model.yaml', 'architecture.json'],
      undefined,
      64,
      'an architecture and a deployment model exclude each other',
    ],
    ['a deployment model that is not there', ['-D', 'gone.yaml'], undefined, 66, "cannot read 'gone.yaml'"],
  ] as const)('refuses %s', async (_, argv, input, status, message) => {
    const ended = await manifest(argv, input)
    expect(ended).toMatchObject({ status, stdout: '' })
    expect(ended.stderr).toContain(message)
  })
})

describe('davit-manifest --deployment', () => {
  /** Writes a deployment model that describes as little as is allowed, and whose profile has no modules. */
  async function model(type = 'wrapper'): Promise<string> {
    const { services } = parsed((await manifest([], await architecture({ web: ONE }))).stdout)
    const [[key, service] = []] = [...services]
    const document = {
      profiles: { t1: service?.pkg },
      services: { [key ?? '']: { name: 'web', pkg: service?.pkg, type } },
      infrastructure: { t1: { properties: { hostname: 'localhost' }, containers: { [type]: {} } } },
      serviceMappings: [{ service: key, target: 't1', container: type }],
      store: { kind: 'native', directory: path('store') },
    }
    writeFileSync(path('deployment.json'), JSON.stringify(document))
    return path('deployment.json')
  }

  test('fills in what the model leaves out, and makes profiles with the modules that they lack', async () => {
    const { status, stdout } = await manifest(['-D', await model(), '--interface', 'local'])
    const { profiles, infrastructure } = parsed(stdout)
    expect(infrastructure.get('t1' as never)).toMatchObject({ clientInterface: 'local', numOfCores: 1 })
    const profile = profiles.get('t1' as never) ?? ''
    expect([status, readdirSync(join(profile, 'modules'))]).toEqual([0, ['wrapper', 'wrapper.activities']])
  })

  test('takes own modules', async () => {
    const words = ['-D', await model('own'), '--modules', path('modules')]
    const { status, stdout } = await manifest(words)
    const profile = parsed(stdout).profiles.get('t1' as never) ?? ''
    expect([status, readdirSync(join(profile, 'modules'))]).toEqual([0, ['own', 'own.activities']])
  })
})
