import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'

import {
  type BuildSpec,
  Manifest,
  parseDocument,
  ProfileManifest,
  type ServiceName,
  type StorePath,
  type TargetName,
  validateDocument,
} from '@davit/documents'
import { environment } from '@davit/process'
import { isSelected, parseTerms, partOf, selectIn } from '@davit/selection'
import { currentSystem, openNativeStore, type Store } from '@davit/store'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'

import { profileAnew, withPartProfiles } from '../src/realisation.ts'

const HERE = currentSystem(environment())
const WEB = 'web' as TargetName
const moduleOf = (version: string) => ({ script: Buffer.from(`#!/bin/sh\n# ${version}\n`), activities: ['activate'] })

test('withPartProfiles() replaces what is selected, and keeps the packages of the target itself', async () => {
  const { current, next, part } = await scene({ own: true })
  const manifest = await part('service:api')
  expect(packagesIn(current)).toEqual(['1-api', '1-page', 'own'])
  expect(packagesIn(next)).toEqual(['2-api', '2-page'])
  expect(packagesIn(manifest)).toEqual(['1-page', '2-api', 'own'])
  const profile = manifest.profiles.get(WEB) as StorePath
  const text = readFileSync(join(profile, 'profilemanifest.xml'), 'utf8')
  const { services } = parseDocument(ProfileManifest.on(WEB), text, { file: 'profilemanifest.xml' })
  expect([...services.values()].map(({ name, pkg }) => `${name} ${nameOf(pkg)}`).toSorted()).toEqual([
    'api 2-api',
    'page 1-page',
  ])
})

test('withPartProfiles() keeps the module of a type as long as a service is left out that has it', async () => {
  const { current, next, part } = await scene({ own: false })
  expect(moduleIn(await part('service:api'))).toBe(moduleIn(current))
  const all = await part('service:api,service:page')
  expect(moduleIn(all)).toBe(moduleIn(next))
  // It has the same contents as the profile of the whole, and so is the same package.
  expect(all.profiles).toEqual(next.profiles)
})

test('withPartProfiles() refuses to make a profile of one that is not here', async () => {
  const { current, part } = await scene({ own: false })
  const profiles = new Map([...current.profiles].map(([name, path]) => [name, path.replace(/.$/, 'x') as StorePath]))
  await expect(part('service:api', { ...current, profiles })).rejects.toMatchObject({
    code: 'part-refused',
    message: expect.stringContaining("the profile of 'web' is not on this machine") as string,
    hint: 'nothing was done; select the whole target: --on web',
  })
})

interface Scene {
  readonly current: Manifest
  readonly next: Manifest
  part(selected: string, before?: Manifest): Promise<Manifest>
}

/** `api` and `page` on one target, in two versions, with another module each; if wanted, the target had a package of its own. */
async function scene({ own }: { readonly own: boolean }): Promise<Scene> {
  const store = await openNativeStore({ directory: join(scratchDirectory(), 'store'), environment: environment() })
  const [current, next] = [await version(store, '1'), await version(store, '2')]
  const before = own ? await withOwnPackage(current, store) : current
  return {
    current: before,
    next,
    async part(selected, known = before) {
      const selection = selectIn([next, known], parseTerms([selected]))
      const outcome = partOf({ next, current: known, selection })
      if (outcome.kind === 'refused') throw new Error('the part is refused')
      const terms = { next, current: known, openStore: async () => store }
      return withPartProfiles(outcome.manifest, outcome.mixed, {
        ...terms,
        isSelected: (one) => isSelected(selection, one),
      })
    },
  }
}

async function version(store: Store, number: string): Promise<Manifest> {
  const none = { type: 'process', dependsOn: [], connectsTo: [], providesContainers: {} }
  const names = ['api', 'page']
  const keys = names.map((_, index) => `${number}${index}`.repeat(32))
  const packages = await Promise.all(names.map((name) => built(store, `${number}-${name}`)))
  const target = {
    numOfCores: 1,
    clientInterface: 'local',
    targetProperty: 'hostname',
    properties: { hostname: 'localhost' },
    containers: {},
  }
  const manifest = validateDocument(
    Manifest,
    {
      profiles: {},
      services: Object.fromEntries(names.map((name, index) => [keys[index], { name, pkg: packages[index], ...none }])),
      infrastructure: { web: { ...target, system: HERE } },
      serviceMappings: keys.map((service) => ({ service, target: 'web', container: 'process' })),
      snapshotMappings: [],
      store: { ...store.reference },
    },
    { file: 'manifest' },
  )
  return profileAnew(manifest, { store, modules: new Map([['process', moduleOf(number)]]) })
}

async function withOwnPackage(manifest: Manifest, store: Store): Promise<Manifest> {
  const profile = manifest.profiles.get(WEB) as StorePath
  const [path] = await store.addProfiles([
    {
      name: 'web',
      packages: [...manifest.services.values()].map(({ pkg }) => pkg).concat(await built(store, 'own')),
      profileManifest: readFileSync(join(profile, 'profilemanifest.xml'), 'utf8'),
      modules: new Map(),
    },
  ])
  return { ...manifest, profiles: new Map([[WEB, path as StorePath]]) }
}

async function built(store: Store, name: string): Promise<StorePath> {
  const nothing = new Map<string, never>()
  const spec: BuildSpec = {
    kind: 'build',
    name,
    script: 'echo >$out',
    sources: nothing,
    env: nothing,
    inputs: new Map(),
    network: false,
  }
  const made = await store.instantiate([{ spec, system: HERE, wantedBy: { service: name as ServiceName } }])
  await store.realise(made, { report: () => {}, signal: new AbortController().signal })
  return made[0]?.outPath as StorePath
}

function packagesIn({ profiles }: Manifest): readonly string[] {
  return readdirSync(join(profiles.get(WEB) as string, 'packages'))
    .map(nameOf)
    .toSorted()
}

function moduleIn({ profiles }: Manifest): string {
  return realpathSync(join(profiles.get(WEB) as string, 'modules/process'))
}

function nameOf(path: string): string {
  return basename(path).slice(33)
}
