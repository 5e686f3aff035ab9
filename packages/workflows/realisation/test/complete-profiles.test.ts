import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'

import type { ReportEvent } from '@davit/diagnostics'
import {
  type BuildSpec,
  Manifest,
  parseDocument,
  ProfileManifest,
  type ServiceKey,
  type ServiceName,
  type StorePath,
  type TargetName,
  validateDocument,
} from '@davit/documents'
import { environment } from '@davit/process'
import { currentSystem, openNativeStore, type Store } from '@davit/store'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'

import { completeProfiles } from '../src/realisation.ts'

const HERE = currentSystem(environment())
const MODULE = { script: Buffer.from('#!/bin/sh\n'), activities: ['activate', 'deactivate'] }
const MODULES = new Map(['process', 'wrapper', 'unused'].map((type) => [type, MODULE]))
const [WEB1, DB1] = ['web1' as TargetName, 'db1' as TargetName]

test('completeProfiles() gives bare profiles the modules of davit, and of Dysnomia where davit has none', async () => {
  const { store, bare, complete, told } = await scene()
  const { profiles } = await complete(bare)
  const [web, db] = [profiles.get(WEB1)!, profiles.get(DB1)!]
  expect([modulesIn(web), modulesIn(db)]).toEqual([['process'], ['mongo', 'process']])
  expect(declared(db, 'process')).toEqual(['activate', 'deactivate'])
  expect(declared(db, 'mongo')).toContain('of-dysnomia')
  // What the old profile keeps is kept.
  const closure = await store.closure([web])
  expect(closure).toContain(bare.profiles.get(WEB1))
  expect(closure.map((path) => basename(path).slice(33)).toSorted()).toEqual(['idle', 'process', 'web', 'web1', 'web1'])
  const manifest = readFileSync(join(web, 'profilemanifest.xml'), 'utf8')
  const { services } = parseDocument(ProfileManifest.on(WEB1), manifest, { file: 'profilemanifest.xml' })
  expect([...services.values()].map(({ name }) => name).toSorted()).toEqual(['idle', 'web'])
  expect(told()).toEqual([
    "made new profiles for 'db1', 'web1' with the modules that they lack: 'process' of davit, 'mongo' of the Dysnomia that is there",
  ])
})

test('completeProfiles() leaves complete profiles alone, and makes the same of the same', async () => {
  const { bare, complete, told } = await scene()
  const first = await complete(bare)
  expect(await complete(bare)).toEqual(first)
  told()
  expect(await complete(first)).toBe(first)
  expect(told()).toEqual([])
})

test('completeProfiles() keeps the modules that a profile has', async () => {
  const { bare, complete } = await scene()
  const half = await complete({ ...bare, serviceMappings: bare.serviceMappings.slice(0, 1) })
  const own = realpathSync(join(half.profiles.get(DB1)!, 'modules/mongo'))
  const others = new Map([...MODULES, ['mongo', MODULE] as const])
  const { profiles } = await complete({ ...bare, profiles: half.profiles }, others)
  expect(modulesIn(profiles.get(DB1)!)).toEqual(['mongo', 'process'])
  expect(realpathSync(join(profiles.get(DB1)!, 'modules/mongo'))).toBe(own)
})

test('completeProfiles() adds no module where the package that provides the container has one', async () => {
  const { bare, complete } = await scene()
  const serviceMappings = bare.serviceMappings.map((mapping) =>
    mapping.service === key(4) ? { ...mapping, containerProvidedByService: key(3) } : mapping,
  )
  const { profiles } = await complete({ ...bare, serviceMappings })
  expect(modulesIn(profiles.get(DB1)!)).toEqual(['mongo'])
})

test('completeProfiles() gives every module to the profiles of an undeployment', async () => {
  const { bare, complete } = await scene()
  const nothing = { ...bare, services: new Map(), serviceMappings: [] }
  const { profiles } = await complete(nothing)
  expect([...profiles.values()].map(modulesIn)).toEqual([
    [...MODULES.keys()].toSorted(),
    [...MODULES.keys()].toSorted(),
  ])
  expect(await complete({ ...nothing, profiles })).toEqual({ ...nothing, profiles })
})

test('completeProfiles() leaves alone what is not here, and targets that a client executable serves', async () => {
  const { bare, complete } = await scene()
  const elsewhere = new Map([...bare.profiles].map(([name, path]) => [name, path.replace(/.{5}$/, 'x') as StorePath]))
  const unknown = { ...bare, profiles: elsewhere }
  expect(await complete(unknown)).toBe(unknown)
  const served = [...bare.infrastructure].map(
    ([name, target]) => [name, { ...target, clientInterface: '/opt/client' }] as const,
  )
  const clients = { ...bare, infrastructure: new Map(served) }
  expect(await complete(clients)).toBe(clients)
})

interface Bare {
  readonly store: Store
  /** `web` on web1, where `idle` is only installed; `db` and `page` on db1. */
  readonly bare: Manifest
  complete(manifest: Manifest, modules?: typeof MODULES): Promise<Manifest>
  /** Messages since the last time. */
  told(): readonly string[]
}

/** A manifest whose profiles are as Disnix makes them: they have links to packages, and a profile manifest. */
async function scene(): Promise<Bare> {
  const store = await openNativeStore({ directory: join(scratchDirectory(), 'store'), environment: environment() })
  const names = ['web', 'idle', 'page']
  const packages = new Map<string, StorePath>()
  packages.set('db', await built(DB))
  for (const name of names) packages.set(name, await built(specOf(name)))
  const profileOf = async (name: string, contents: readonly string[]) => {
    const links = contents.map((one) => `ln -s $${one} $out/bin/${one}`).join('; ')
    return built(
      specOf(name, contents, `mkdir -p $out/bin; echo '<profilemanifest/>' >$out/profilemanifest.xml; ${links}`),
    )
  }
  const profiles = { web1: await profileOf('web1', ['web', 'idle']), db1: await profileOf('db1', ['db', 'page']) }
  const none = { dependsOn: [], connectsTo: [], providesContainers: {} }
  const serviceOf = (name: string, type: string) => ({ name, type, pkg: packages.get(name), ...none })
  const bare = validateDocument(
    Manifest,
    {
      profiles,
      services: {
        [key(1)]: serviceOf('web', 'process'),
        [key(2)]: serviceOf('idle', 'package'),
        [key(3)]: serviceOf('db', 'mongo'),
        [key(4)]: serviceOf('page', 'process'),
      },
      infrastructure: { web1: target(), db1: target() },
      serviceMappings: [
        { service: key(3), target: 'db1', container: 'mongo' },
        { service: key(4), target: 'db1', container: 'process' },
        { service: key(1), target: 'web1', container: 'process' },
      ],
      snapshotMappings: [],
      store: { ...store.reference },
    },
    { file: 'manifest' },
  )
  const events: ReportEvent[] = []
  const report = (event: ReportEvent) => void events.push(event)
  return {
    store,
    bare,
    complete: async (manifest, modules = MODULES) =>
      completeProfiles(manifest, { modules, openStore: async () => store, report }),
    told: () => events.splice(0).flatMap((event) => ('message' in event ? [event.message] : [])),
  }

  async function built(spec: BuildSpec): Promise<StorePath> {
    const made = await store.instantiate([{ spec, system: HERE, wantedBy: { service: spec.name as ServiceName } }])
    await store.realise(made, { report: () => {}, signal: new AbortController().signal })
    return made[0]!.outPath
  }
}

function specOf(name: string, inputs: readonly string[] = [], script = 'echo >$out'): BuildSpec {
  const nothing = new Map<string, never>()
  const packages = new Map(inputs.map((input) => [input, input === 'db' ? DB : specOf(input)]))
  return { kind: 'build', name, script, sources: nothing, env: nothing, inputs: packages, network: false }
}

/** Its package has a module for what it provides a container for. */
const DB = specOf('db', [], 'mkdir -p $out/libexec/dysnomia; echo >$out/libexec/dysnomia/page')

function key(number: number): ServiceKey {
  return String(number).repeat(64) as ServiceKey
}

function target(): object {
  const defaults = { numOfCores: 1, clientInterface: 'local', targetProperty: 'hostname' }
  return { properties: { hostname: 'localhost' }, containers: {}, system: HERE, ...defaults }
}

function modulesIn(profile: string): readonly string[] {
  return readdirSync(join(profile, 'modules')).filter((file) => !file.endsWith('.activities'))
}

function declared(profile: string, type: string): readonly string[] {
  return readFileSync(readlinkSync(join(profile, `modules/${type}.activities`)), 'utf8')
    .trim()
    .split('\n')
}
