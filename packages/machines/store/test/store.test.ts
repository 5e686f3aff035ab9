import { spawnSync } from 'node:child_process'
import { lutimesSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { StorePath } from '@davit/documents'
import { expect, test } from 'vitest'
import { currentSystem, defaultStore, openNativeStore } from '../src/store.ts'
import { build } from './package-specs.ts'
import { instantiated, leftovers, realised, temporaryStore, writeTree } from './temporary-store.ts'

const MODULE = { script: Buffer.from('#!/bin/sh\necho "$1"\n'), activities: ['activate', 'deactivate'] }

test('addModule() makes a package with the module and what it can do', async () => {
  const store = await temporaryStore()
  const path = await store.addModule('process', MODULE)
  expect(readdirSync(path)).toStrictEqual(['process', 'process.activities'])
  expect(readFileSync(join(path, 'process.activities'), 'utf8')).toBe('activate\ndeactivate\n')
  expect(spawnSync(join(path, 'process'), ['activate'], { encoding: 'utf8' }).stdout).toBe('activate\n')
  expect(await store.addModule('process', MODULE)).toBe(path)
})

test('addProfiles() makes a package whose closure holds packages and modules', async () => {
  const store = await temporaryStore()
  const lib = build('lib', 'echo >$out')
  const [web] = await realised(store, build('web', 'echo $lib >$out', { inputs: { lib } }))
  const [library] = await instantiated(store, lib)
  const module = await store.addModule('process', MODULE)
  const contents = {
    name: 'web1',
    packages: [web!.outPath],
    profileManifest: '<profilemanifest/>',
    modules: new Map([['process', module]]),
  }
  const profile = (await store.addProfiles([contents]))[0]!

  expect(profile).toMatch(/-web1$/)
  expect(readFileSync(join(profile, 'profilemanifest.xml'), 'utf8')).toBe('<profilemanifest/>')
  expect(readlinkSync(join(profile, 'packages', basename(web!.outPath)))).toBe(web!.outPath)
  expect(readlinkSync(join(profile, 'modules/process'))).toBe(join(module, 'process'))
  expect(readFileSync(join(profile, 'modules/process.activities'), 'utf8')).toBe('activate\ndeactivate\n')
  const closure = await store.closure([profile])
  expect(new Set(closure)).toStrictEqual(new Set([library!.outPath, web!.outPath, module, profile]))
  expect(closure.at(-1)).toBe(profile)
  expect(closure.indexOf(library!.outPath)).toBeLessThan(closure.indexOf(web!.outPath))
  expect(await store.addProfiles([contents, contents])).toStrictEqual([profile, profile])
  expect(await store.addProfiles([{ ...contents, profileManifest: '<other/>' }])).not.toStrictEqual([profile])
  expect(leftovers(store)).toStrictEqual([])
})

test('addProfiles() refuses packages that are not in the store', async () => {
  const store = await temporaryStore()
  const [web] = await instantiated(store, build('web', 'echo >$out'))
  const contents = { name: 't', packages: [web!.outPath], profileManifest: '', modules: new Map() }
  await expect(store.addProfiles([contents])).rejects.toMatchObject({ code: 'invalid-path' })
})

test('many profiles can be made at a time', async () => {
  const store = await temporaryStore()
  const profiles = await store.addProfiles(
    Array.from({ length: 30 }, (_, index) => ({
      name: 't',
      packages: [],
      profileManifest: `${index % 20}`,
      modules: new Map(),
    })),
  )
  expect(new Set(profiles).size).toBe(20)
  expect(await store.invalidPaths(profiles)).toStrictEqual([])
  expect(leftovers(store)).toStrictEqual([])
})

test('invalidPaths() returns paths that were deleted, or never existed', async () => {
  const store = await temporaryStore()
  const [web, other] = await realised(store, build('web', 'echo >$out'), build('other', 'echo >$out'))
  const [unbuilt] = await instantiated(store, build('unbuilt', 'echo >$out'))
  rmSync(web!.outPath)
  const again = await temporaryStore(undefined, store.reference.directory)
  const paths = [web!.outPath, other!.outPath, unbuilt!.outPath]
  expect(await again.invalidPaths(paths)).toStrictEqual([web!.outPath, unbuilt!.outPath])
  await expect(again.closure(paths)).rejects.toMatchObject({ code: 'invalid-path' })
})

test('export() packs paths and their registrations, and refuses what is not valid', async () => {
  const store = await temporaryStore()
  const [source] = await instantiated(store, { kind: 'source', path: writeTree({ 'a/b': 'text' }) })
  const archive = await buffer(store.export([source!.outPath]))
  const { stdout } = spawnSync('tar', ['-t'], { input: archive, encoding: 'utf8' })
  const name = basename(source!.outPath)
  expect(stdout.trim().split('\n')).toStrictEqual([
    `records/${name}.json`,
    ...['', 'a/', 'a/b'].map((inside) => `paths/${name}/${inside}`),
  ])
  expect(await buffer(store.export([source!.outPath]))).toStrictEqual(archive)

  const absent = `${store.reference.directory}/${'0'.repeat(32)}-absent` as StorePath
  await expect(buffer(store.export([absent]))).rejects.toMatchObject({ code: 'invalid-path' })
})

test('addRoot() and removeRoot() keep links to paths, and hasRoot() finds them', async () => {
  const store = await temporaryStore()
  const [one, two] = await instantiated(
    store,
    ...['a', 'b'].map((name) => ({ kind: 'source' as const, path: writeTree({}), name })),
  )
  const roots = join(store.reference.directory, '.davit/roots')
  const kept = (name: string) =>
    readdirSync(roots)
      .filter((link) => link.startsWith(`${name}:`))
      .map((link) => readlinkSync(join(roots, link)))
  const both = [one!.outPath, two!.outPath]
  expect(await store.hasRoot('default', [one!.outPath])).toBe(false)
  await store.addRoot('default', [one!.outPath])
  expect(await store.hasRoot('default', [one!.outPath])).toBe(true)
  expect(await store.hasRoot('default', both)).toBe(false)
  await store.addRoot('other', both)
  await store.addRoot('default', [two!.outPath])
  expect(kept('default')).toStrictEqual([two!.outPath])
  await store.removeRoot('default')
  await store.removeRoot('default')
  expect(await store.hasRoot('default', [two!.outPath])).toBe(false)
  expect(kept('default')).toStrictEqual([])
  expect(new Set(kept('other'))).toStrictEqual(new Set(both))
  await expect(store.addRoot('../x', both)).rejects.toMatchObject({ code: 'bad-root-name' })
})

test('protect() keeps paths for a day after it was asked last', async () => {
  const store = await temporaryStore()
  const [one, two] = await instantiated(
    store,
    ...['a', 'b'].map((name) => ({ kind: 'source' as const, path: writeTree({}), name })),
  )
  const roots = join(store.reference.directory, '.davit/roots')
  const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000)
  for (const { outPath } of [one!, two!])
    lutimesSync(join(roots, `temporary:${basename(outPath)}`), yesterday, yesterday)
  await store.protect([two!.outPath])
  expect(readdirSync(roots)).toStrictEqual([`temporary:${basename(two!.outPath)}`])
})

test.each([
  {
    environment: { DAVIT_STORE_DIR: '/srv/store' },
    privileged: false,
    onlyLocalTargets: false,
    directory: '/srv/store',
  },
  { environment: { HOME: '/home/me' }, privileged: true, onlyLocalTargets: true, directory: '/var/lib/davit/store' },
  { environment: { HOME: '/home/me' }, privileged: false, onlyLocalTargets: false, directory: '/var/lib/davit/store' },
  {
    environment: { HOME: '/home/me' },
    privileged: false,
    onlyLocalTargets: true,
    directory: '/home/me/.local/state/davit/store',
  },
  {
    environment: { HOME: '/h', XDG_STATE_HOME: '/s' },
    privileged: false,
    onlyLocalTargets: true,
    directory: '/s/davit/store',
  },
])('defaultStore() is in $directory', ({ environment, directory, ...choice }) => {
  expect(defaultStore('native', environment, choice)).toStrictEqual({ kind: 'native', directory })
})

test('a store directory must be valid on every machine', async () => {
  const choice = { privileged: true, onlyLocalTargets: false }
  expect(() => defaultStore('native', { DAVIT_STORE_DIR: 'relative' }, choice)).toThrow(
    "'relative' is not a valid store",
  )
  await expect(openNativeStore({ directory: '/with space', environment: {} })).rejects.toThrow('is not a valid store')
})

test('currentSystem() is that of the machine, or DAVIT_SYSTEM', () => {
  expect(currentSystem({})).toMatch(/^[a-z0-9_]+-linux$|-darwin$/)
  expect(currentSystem({ DAVIT_SYSTEM: 'riscv64-linux' })).toBe('riscv64-linux')
  expect(() => currentSystem({ DAVIT_SYSTEM: '-x' })).toThrow("'-x' is not a valid platform name")
})
