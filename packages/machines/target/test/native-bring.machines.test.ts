import { chmodSync, cpSync, existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'

import type { ServiceName, StorePath } from '@davit/documents'
import { removeTree } from '@davit/files'
import { currentSystem, type NativeStore, openNativeStore, type Registration, storeLayout } from '@davit/store'
import { notingShells, type Shell } from '@davit/testing/shells'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { nativeTargetStore } from '../src/native/native-target-store.ts'
import type { Machine } from '../src/target.ts'
import { build, type Building, ENVIRONMENT, openBuilding } from './building.ts'
import { canPose } from './other-machine.ts'
import { broken, cut, damaged } from './spoiled-output.ts'
import { testCalls } from './functions.ts'

const { signal } = new AbortController()
const [dash, ...others] = notingShells() as [Shell, ...Shell[]]

const SCRIPT = '#!/bin/sh\n'
const MODULE = { script: Buffer.from(SCRIPT), activities: ['activate'] }

/** A machine with a profile, and a coordinator whose store is empty. */
interface Setting {
  readonly building: Building
  readonly profile: StorePath
  readonly module: StorePath
  readonly web: StorePath
  readonly input: StorePath
  readonly closure: readonly StorePath[]
  readonly registrations: readonly Registration[]
}

async function openSetting(shell: Shell): Promise<Setting> {
  const building = await openBuilding(shell)
  const { store } = building
  const [pkg] = await instantiateWeb(store)
  await store.realise([pkg!], { report: () => {}, signal })
  const module = await store.addModule('process', MODULE)
  const [profile] = await store.addProfiles([
    { name: 't1', packages: [pkg!.outPath], profileManifest: '<x/>', modules: new Map([['process', module]]) },
  ])
  const closure = await store.closure([profile!])
  const web = pkg!.outPath
  const registrations = await store.registrations(closure)
  building.send()
  empty(store)
  const used = closure.find((path) => path.endsWith('-input'))
  return { building, profile: profile!, module, web, input: used!, closure, registrations }
}

/** A package that refers to itself and to another one. */
function instantiateWeb(store: NativeStore) {
  const inputs = new Map([['input', build('input', 'echo input >$out')]])
  const spec = build('web', 'mkdir $out; ln -s $input $out/input; ln -s $out $out/self', { inputs })
  return store.instantiate([{ spec, system: currentSystem(ENVIRONMENT), wantedBy: { service: 'web' as ServiceName } }])
}

/** Removes all packages and registrations. */
function empty(store: NativeStore): void {
  const { directory, registrations } = storeLayout(store.reference.directory)
  for (const name of readdirSync(directory)) if (name !== '.davit') removeTree(join(directory, name))
  for (const place of [registrations, storeLayout(directory).roots])
    for (const name of readdirSync(place)) removeTree(join(place, name))
}

function openStore({ store }: Building): Promise<NativeStore> {
  return openNativeStore({ ...store.reference, environment: ENVIRONMENT })
}

describe.runIf(canPose).each([dash, ...others])('bring() from a machine with $name', (shell) => {
  let setting: Setting
  let building: Building
  let store: NativeStore

  beforeEach(async () => {
    setting = await openSetting(shell)
    building = setting.building
    store = await openStore(building)
  })
  afterEach(() => building.close())

  const bring = (paths: readonly StorePath[], { machine = building.machine, stop = signal } = {}) =>
    nativeTargetStore(machine, store).bring(paths, { signal: stop })
  const layout = () => storeLayout(store.reference.directory)
  const recordOf = (path: string) => join(layout().registrations, `${basename(path)}.json`)
  const incoming = () => readdirSync(layout().incoming)

  test('makes a closure valid with the same registrations, as one stream', async () => {
    const { profile, closure, registrations } = setting
    const before = building.connection.pids.length
    const bytes = registrations.reduce((sum, { size }) => sum + size, 0)
    expect(await bring([profile])).toEqual({ paths: 4, bytes })
    expect(building.connection.pids.length - before).toBe(1)
    expect(await store.registrations(await store.closure([profile]))).toEqual(registrations)
    expect(await store.invalidPaths(closure)).toEqual([])
    expect(lstatSync(profile).mode & 0o777).toBe(0o555)
    expect(readdirSync(layout().roots)).toEqual([`temporary:${basename(profile)}`])
    expect(incoming()).toEqual([])
  })

  test.runIf(shell.inDepth)('asks once if nothing is missing, and otherwise brings only that', async () => {
    const { profile, web, registrations } = setting
    await bring([web])
    expect(await bring([profile])).toMatchObject({ paths: 2 })
    const before = building.connection.pids.length
    expect(await bring([profile, web])).toEqual({ paths: 0, bytes: 0 })
    expect(building.connection.pids.length).toBe(before)
    expect(await store.registrations(await store.closure([profile]))).toEqual(registrations)
  })

  test('keeps the closure there until the helper ends', async () => {
    await bring([setting.profile])
    const asked = building.there(join(layout().directory, '.davit/asked'))
    const [owner = ''] = readdirSync(asked)
    const kept = readFileSync(join(asked, owner), 'utf8').trimEnd().split('\n')
    expect(kept.toSorted()).toEqual(setting.closure.map((path) => basename(path)).toSorted())
  })

  test.runIf(shell.inDepth)('names all paths that are not valid there', async () => {
    const { profile, module, web } = setting
    for (const path of [module, web]) removeTree(building.there(recordOf(path)))
    await expect(bring([module, profile])).rejects.toMatchObject({
      code: 'invalid-path',
      exitStatus: 66,
      message: expect.stringMatching(`^the store of 'other' does not have .*(?=.*${module})(?=.*${web})`),
    })
    expect(await store.invalidPaths([profile])).toHaveLength(1)
  })

  testCalls(shell, 'native-bring')
})

describe.runIf(canPose)('bring()', () => {
  let setting: Setting
  let building: Building
  let store: NativeStore

  beforeAll(async () => {
    setting = await openSetting(dash)
    building = setting.building
    cpSync(building.there(layout().directory), honest(), { recursive: true, verbatimSymlinks: true })
  })
  afterAll(() => building.close())
  beforeEach(async () => {
    empty(building.store)
    const there = building.there(layout().directory)
    for (const name of readdirSync(there)) removeTree(join(there, name))
    cpSync(honest(), there, { recursive: true, verbatimSymlinks: true })
    store = await openStore(building)
  })

  const bring = (paths: readonly StorePath[], { machine = building.machine, stop = signal } = {}) =>
    nativeTargetStore(machine, store).bring(paths, { signal: stop })
  const layout = () => storeLayout(building.store.reference.directory)
  /** What the other machine has before each test. */
  const honest = () => join(building.directory, 'honest')
  const recordOf = (path: string) => building.there(join(layout().registrations, `${basename(path)}.json`))
  const isEmpty = async () => {
    expect(await store.invalidPaths(setting.closure)).toEqual(setting.closure)
    expect(readdirSync(layout().incoming)).toEqual([])
  }

  /** Changes what the other machine has registered of a path. */
  function claim(path: StorePath, change: Partial<Record<keyof Registration, unknown>>): void {
    const registration = JSON.parse(readFileSync(recordOf(path), 'utf8')) as Registration
    writeFileSync(recordOf(path), `${JSON.stringify({ ...registration, ...change })}\n`)
  }

  /** Writes to a file of the other machine's store. */
  function forge(file: string, text: string): void {
    chmodSync(building.there(file), lstatSync(building.there(file)).mode | 0o200)
    writeFileSync(building.there(file), text)
  }

  /** Puts another module under the name of the real one, registered as the output of a build. */
  async function forgeModule(): Promise<void> {
    const { module, web } = setting
    forge(join(module, 'process'), '#!/bin/sh\n: evil\n')
    const { deriver, system } = JSON.parse(readFileSync(recordOf(web), 'utf8')) as Registration
    // As the store would register that content.
    const forged = await openNativeStore({ directory: join(building.directory, 'forger'), environment: ENVIRONMENT })
    const evil = await forged.addModule('process', { ...MODULE, script: Buffer.from('#!/bin/sh\n: evil\n') })
    const [{ contentHash, size }] = (await forged.registrations([evil])) as [Registration]
    claim(module, { contentHash, size, deriver, system })
  }

  test.each([
    ['is cut off', cut, 'what arrived differs from what was sent'],
    ['breaks', broken, 'the stream was cut off'],
    ['is damaged', damaged('input\n'), 'what arrived differs from what was sent'],
  ])('registers nothing when the stream %s, and the next one succeeds', async (_, damage, reason) => {
    const bringing = bring([setting.profile], { machine: withOutput(building.machine, damage) })
    await expect(bringing).rejects.toMatchObject({ code: 'fetch-failed', message: expect.stringContaining(reason) })
    await isEmpty()
    expect(await bring([setting.profile])).toMatchObject({ paths: 4 })
  })

  test('stops on abort, and leaves nothing', async () => {
    const stop = new AbortController()
    const stalled = new PassThrough()
    const machine = withOutput(building.machine, (output) => {
      output.once('data', () => stop.abort(new Error('enough')))
      return stalled
    })
    await expect(bring([setting.profile], { machine, stop: stop.signal })).rejects.toThrow('enough')
    await isEmpty()
  })

  test('refuses content that its registration does not have', async () => {
    forge(setting.input, 'other\n')
    await expect(bring([setting.profile])).rejects.toMatchObject({
      code: 'altered-package',
      message: expect.stringContaining(`'${setting.input}' on 'other' is not what it was when it was made`),
    })
    await isEmpty()
  })

  test('refuses a registration of other content under a name that stands for content', async () => {
    await forgeModule()
    claim(setting.module, { deriver: undefined, system: undefined })
    await expect(bring([setting.profile])).rejects.toMatchObject({
      code: 'bad-copy',
      message: `the content of '${setting.module}' is not the one that its name stands for`,
    })
    await isEmpty()
  })

  test('refuses an output of a derivation that is here and makes another one', async () => {
    await instantiateWeb(store)
    await forgeModule()
    await expect(bring([setting.profile])).rejects.toMatchObject({
      code: 'bad-copy',
      message: expect.stringContaining(`'${setting.module}'`),
    })
    expect(await store.invalidPaths([setting.module])).toHaveLength(1)
  })

  test.each([
    ['a size that the content does not have', { size: 1 }],
    ['a size that is no size', { size: -1 }],
    ['a hash that is none', { contentHash: 'sha256:0' }],
    ['a reference to another place', { references: ['/etc/shadow-file'] }],
    ['a deriver in another place', { deriver: '/etc/x.drv' }],
  ])('refuses a registration with %s', async (_, change) => {
    claim(setting.input, change)
    await expect(bring([setting.profile])).rejects.toMatchObject({
      code: expect.stringMatching(/bad-copy|bad-answer|bad-archive|bad-request|invalid-path/),
    })
    await isEmpty()
  })

  test('what is believed as an output gives way to the content that has the name: of the coordinator', async () => {
    await forgeModule()
    await bring([setting.profile])
    expect(readFileSync(join(setting.module, 'process'), 'utf8')).toContain('evil')
    expect(await (await openStore(building)).addModule('process', MODULE)).toBe(setting.module)
    expect(readFileSync(join(setting.module, 'process'), 'utf8')).toBe(SCRIPT)
    expect(await (await openStore(building)).registrations([setting.module])).toEqual(
      setting.registrations.filter(({ path }) => path === setting.module),
    )
  })

  test('what is believed as an output gives way to the content that has the name: of another machine', async () => {
    await forgeModule()
    await bring([setting.profile])
    removeTree(building.there(setting.module))
    cpSync(join(honest(), basename(setting.module)), building.there(setting.module), { recursive: true })
    cpSync(join(honest(), '.davit/registrations', basename(recordOf(setting.module))), recordOf(setting.module))
    expect(await bring([setting.profile])).toMatchObject({ paths: 1 })
    expect(readFileSync(join(setting.module, 'process'), 'utf8')).toBe(SCRIPT)
    expect(await store.registrations([setting.module])).toEqual(
      setting.registrations.filter(({ path }) => path === setting.module),
    )
  })

  test('references that were left out are added when the coordinator makes the same profile', async () => {
    claim(setting.profile, { references: [] })
    expect(await bring([setting.profile])).toMatchObject({ paths: 1 })
    await bring([setting.web, setting.module])
    const again = await openStore(building)
    const modules = new Map([['process', setting.module]])
    const [profile] = await again.addProfiles([
      { name: 't1', packages: [setting.web], profileManifest: '<x/>', modules },
    ])
    expect(profile).toBe(setting.profile)
    expect(await again.closure([setting.profile])).toEqual(setting.closure)
  })

  test('never replaces an output that is valid here', async () => {
    await store.realise(await instantiateWeb(store), { report: () => {}, signal })
    const own = await store.registrations([setting.input])
    forge(setting.input, 'other\n')
    claim(setting.input, { contentHash: `sha256:${'0'.repeat(64)}`, size: 6 })
    expect(await bring([setting.profile])).toMatchObject({ paths: 2 })
    expect(readFileSync(setting.input, 'utf8')).toBe('input\n')
    expect(await store.registrations([setting.input])).toEqual(own)
    expect(existsSync(setting.web)).toBe(true)
  })
})

/** Returns a machine whose scripts print through a stream. */
function withOutput(machine: Machine<'carry'>, change: (output: Readable) => Readable): Machine<'carry'> {
  return {
    ...machine,
    async run(script) {
      const channel = await machine.run(script)
      const stdout = change(channel.stdout)
      const close = () => {
        channel.close()
        stdout.destroy()
      }
      return { ...channel, stdout, close }
    },
  }
}
