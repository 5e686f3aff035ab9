import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DavitError, type ReportEvent } from '@davit/diagnostics'
import {
  Architecture,
  type BuildSpec,
  parseDocument,
  ProfileManifest,
  type ServiceName,
  type System,
  type TargetName,
  validateDocument,
} from '@davit/documents'
import { builtInModules } from '@davit/modules'
import { environment } from '@davit/process'
import { currentSystem, openNativeStore, type Store } from '@davit/store'
import { scratchDirectory } from '@davit/testing/scratch'
import { until } from '@davit/testing/wait'
import { expect, test } from 'vitest'
import { realise } from '../src/realisation.ts'
import type { RealisationOptions } from '../src/realise.ts'

const HERE = currentSystem(environment())
const WEB1 = 'web1' as TargetName
const MODULE = { script: Buffer.from('#!/bin/sh\n'), activities: ['activate', 'deactivate'] }
const MODULES = new Map(['process', 'wrapper', 'unused'].map((type) => [type, MODULE]))

test('realise() builds packages and makes a profile for each target', async () => {
  const { store, architecture, options } = await system()
  const manifest = await realise(architecture, options)

  expect([...manifest.profiles.keys()]).toStrictEqual(['db1', 'idle', 'web1'])
  expect(manifest.serviceMappings).toHaveLength(3)
  const profile = manifest.profiles.get(WEB1)!
  expect(readdirSync(join(profile, 'packages')).map(packageName).toSorted()).toStrictEqual(['app', 'extra', 'web'])
  expect(readdirSync(join(profile, 'modules'))).toStrictEqual(['process', 'process.activities'])
  expect(basename(readlinkSync(join(profile, 'modules/process')))).toBe('process')
  const text = readFileSync(join(profile, 'profilemanifest.xml'), 'utf8')
  const profileManifest = parseDocument(ProfileManifest.on(WEB1), text, { file: 'profilemanifest.xml' })
  expect([...profileManifest.services.values()].map(({ name }) => name).toSorted()).toStrictEqual(['app', 'web'])
  const closure = await store.closure([profile])
  expect(closure.map(packageName).toSorted()).toStrictEqual(['app', 'extra', 'process', 'web', 'web1'])
  expect(await store.invalidPaths([...manifest.profiles.values()])).toStrictEqual([])
})

test('realise() does nothing the second time, and returns the same manifest', async () => {
  const { architecture, options } = await system()
  const first = await realise(architecture, options)
  const events: ReportEvent[] = []
  expect(await realise(architecture, { ...options, report: (event) => events.push(event) })).toStrictEqual(first)
  expect(events).toStrictEqual([])
})

test('realise() makes an empty profile for a target that has nothing', async () => {
  const { architecture, options } = await system()
  const { profiles } = await realise(architecture, options)
  const profile = profiles.get('idle' as TargetName)!
  expect(readdirSync(join(profile, 'packages'))).toStrictEqual([])
  expect(readFileSync(join(profile, 'profilemanifest.xml'), 'utf8')).toContain('<services/>')
})

test('realise() finds types without a module before it builds anything', async () => {
  const { store, architecture, options } = await system()
  const modules = new Map([['processes', MODULE]])
  const failure = await realise(architecture, { ...options, modules }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(DavitError)
  const { diagnostics, hint, exitStatus } = failure as DavitError
  expect(exitStatus).toBe(65)
  expect(diagnostics.map(({ message, hint: meant }) => `${message}: ${meant ?? ''}`)).toStrictEqual([
    "there is no module for type 'process', used by 'web': did you mean 'processes'?",
    "there is no module for type 'wrapper', used by 'db': ",
  ])
  expect(hint).toContain('available modules: processes; add your own with --modules DIRECTORY')
  const outputs = [...architecture.services.values()].flatMap(({ packages }) => [...packages.values()])
  expect(await store.invalidPaths(outputs.map(({ outPath }) => outPath))).toHaveLength(3)
})

test('realise() warns of settings that the module of davit does not know, also when nothing is built, and leaves those of others alone', async () => {
  const settings = 'mkdir -p $out/etc/dysnomia/process; echo "readyport=80" >$out/etc/dysnomia/process/web'
  const { architecture, options } = await system(settings)
  const events: ReportEvent[] = []
  const report = (event: ReportEvent) => void events.push(event)
  const modules = new Map([...MODULES, ...(await builtInModules())])
  for (const _ of ['built', 'there']) {
    events.length = 0
    await realise(architecture, { ...options, modules, report })
    const file = `${[...architecture.services.values()][2]!.packages.get(HERE)!.outPath}/etc/dysnomia/process/web`
    expect(events.filter(({ kind }) => kind === 'warning')).toStrictEqual([
      {
        kind: 'warning',
        code: 'component-doubtful',
        message: `service 'web': ${file}:1 'readyport' is not a setting of a process`,
        fields: { service: 'web', problem: "'readyport' is not a setting of a process", file, line: 1 },
        hint: "did you mean 'readyPort'?",
      },
    ])
  }
  events.length = 0
  await realise(architecture, { ...options, report })
  expect(events).toStrictEqual([])
})

test('realise() names the targets whose packages cannot be built here', async () => {
  const { store, architecture, options } = await system()
  const far = 'riscv64-linux' as System
  const [idle] = architecture.infrastructure.values()
  const [pkg] = await store.instantiate([
    { spec: build('distant'), system: far, wantedBy: { service: 'web' as ServiceName } },
  ])
  const infrastructure = new Map([...architecture.infrastructure, ['far1' as TargetName, { ...idle!, system: far }]])
  const targetPackages = new Map([...architecture.targetPackages, ['far1' as TargetName, [pkg!]]])
  await expect(realise({ ...architecture, infrastructure, targetPackages }, options)).rejects.toMatchObject({
    code: 'wrong-system',
    diagnostics: [
      { message: `'distant' must be built on ${far}; this machine is ${HERE}` },
      { message: `target 'far1' (${far}) needs 'distant'` },
    ],
    hint: expect.stringContaining('--build-on-targets') as string,
  })
})

test('realise() stops on request, and goes on the next time', async () => {
  const { store, architecture, options } = await system()
  const directory = store.reference.directory
  const slow = await openNativeStore({ directory, environment: environment(), isolation: { kind: 'none' } })
  const [web] = await slow.instantiate([
    {
      spec: { ...build('slow'), script: `touch ${directory}-begun; [ -e ${directory}-go ] || sleep 60; echo >$out` },
      system: HERE,
      wantedBy: { service: 'web' as ServiceName },
    },
  ])
  const targetPackages = new Map([[WEB1, [web!]]])
  const stop = new AbortController()
  const work = { ...architecture, targetPackages }
  const building = realise(work, { ...options, store: slow, signal: stop.signal })
  building.catch(() => {})
  await until(() => expect(existsSync(`${directory}-begun`)).toBe(true))
  stop.abort(new Error('enough'))
  await expect(building).rejects.toThrow('enough')
  expect(await slow.invalidPaths([web!.outPath])).toHaveLength(1)
  writeFileSync(`${directory}-go`, '')
  const { profiles } = await realise(work, { ...options, store: slow })
  expect(readdirSync(join(profiles.get(WEB1)!, 'packages')).map(packageName)).toContain('slow')
})

interface SmallSystem {
  readonly store: Store
  readonly architecture: Architecture
  readonly options: RealisationOptions
}

/** `web` on web1 provides a container with a module of its own, in which `app` runs; `db` is on db1. */
async function system(script = 'echo >$out'): Promise<SmallSystem> {
  const directory = scratchDirectory()
  const store = await openNativeStore({ directory: join(directory, 'store'), environment: environment() })
  const names = ['web', 'app', 'db', 'extra']
  const requests = names.map((name) => ({
    spec: { ...build(name), script },
    system: HERE,
    wantedBy: { service: name as ServiceName },
  }))
  const [web, app, db, extra] = (await store.instantiate(requests)).map((pkg) => ({ ...pkg }))
  const architecture = validateDocument(
    Architecture,
    {
      store: { ...store.reference },
      services: {
        web: service('web', 'process', web, [{ target: 'web1', container: 'process' }]),
        app: service('app', 'webapp', app, [
          { target: 'web1', container: 'webapp', containerProvidedByService: 'web' },
        ]),
        db: service('db', 'wrapper', db, [{ target: 'db1', container: 'wrapper' }]),
      },
      infrastructure: { web1: target(), db1: target(), idle: target() },
      targetPackages: { web1: [extra], db1: [], idle: [] },
    },
    { file: 'architecture' },
  )
  const options = {
    store,
    system: HERE,
    modules: MODULES,
    maxJobs: 2,
    report: () => {},
    signal: new AbortController().signal,
  }
  return { store, architecture, options }
}

function build(name: string): BuildSpec {
  const nothing = new Map<string, never>()
  return { kind: 'build', name, script: 'echo >$out', sources: nothing, env: nothing, inputs: nothing, network: false }
}

function service(name: string, type: string, pkg: unknown, targets: readonly object[]): object {
  const providesContainers = name === 'web' ? { webapp: {} } : {}
  const none = { dependsOn: {}, connectsTo: {}, activatesAfter: {}, attributes: {} }
  return { name, type, deployState: false, ...none, providesContainers, targets, packages: { [HERE]: pkg } }
}

function target(): object {
  const defaults = { numOfCores: 1, clientInterface: 'local', targetProperty: 'hostname' }
  return { properties: { hostname: 'localhost' }, containers: {}, system: HERE, ...defaults }
}

function packageName(path: string): string {
  return basename(path).slice(33)
}
