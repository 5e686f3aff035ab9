import { chmodSync, existsSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

import {
  encodeDocument,
  ProfileManifest,
  type ProfileName,
  type ServiceKey,
  type StorePath,
  type TargetName,
} from '@davit/documents'
import { environment } from '@davit/process'
import { openNativeStore, storeLayout } from '@davit/store'
import { scratchDirectory } from '@davit/testing/scratch'
import { notingShells } from '@davit/testing/shells'
import { afterAll, describe, expect, test } from 'vitest'

import {
  abandonRecord,
  acquireLock,
  adoptRecord,
  adoptState,
  askUnrecorded,
  copySnapshot,
  findSnapshot,
  listSnapshots,
  lockHolder,
  lookAtTarget,
  noteVerified,
  originalMarks,
  performActivity,
  readInventory,
  readProfiles,
  readStateMark,
  renewLock,
  resolveModules,
  setProfile,
  trimProfile,
} from '../src/target.ts'
import { testCalls } from './functions.ts'
import { Keeper } from './keeper.ts'
import { closeScenes, Scene, SERVICE } from './scene.ts'

afterAll(closeScenes)

const target = 't1' as TargetName
const profile = 'default' as ProfileName
const place = { target, profile }
const NOTHING: ProfileManifest = { services: new Map(), serviceMappings: [], snapshotMappings: [] }

/** Operations whose details are tested in the first shell only. */
describe.each(notingShells().slice(1))('on a machine with $name', (shell) => {
  test('locks are renewed and described, records given up, and modules found', async () => {
    const scene = await Scene.open(shell)
    const module = scene.module('exit 0')
    const lock = { token: 'mine', owner: 'me', leaseSeconds: 60 }
    const wanted = { path: SERVICE.pkg, targets: 2, store: 'native' } as const
    await acquireLock(scene.machine, place, { ...lock, wanted })
    await renewLock(scene.machine, place, lock)
    expect(await lockHolder(scene.machine, place)).toMatchObject({ token: 'mine', owner: 'me' })
    const request = { ...scene.request('activate'), token: 'mine' }
    expect(await performActivity(scene.machine, request)).toEqual({ kind: 'succeeded' })
    const { container, service: key } = scene.mapping
    const kept = await abandonRecord(scene.machine, { ...place, token: 'mine', container, key })
    expect([existsSync(scene.record), existsSync(`${kept}/record`)]).toEqual([false, true])
    const { definition: _definition, ...undo } = { ...scene.request('deactivate'), token: 'mine' }
    expect(await performActivity(scene.machine, undo)).toEqual({ kind: 'succeeded' })
    expect(await resolveModules(scene.machine, [module, '/no/module'])).toEqual(new Map([[module, module]]))
    // An operation of other roles.
    await expect(scene.machine.request('snapshots' as never, ['targets/t1'] as never)).rejects.toThrow(
      'unknown operation',
    )
  })

  test('profiles are set, read, looked at and trimmed, and an inventory has them', async () => {
    const scene = await Scene.open(shell)
    const store = await openNativeStore({
      directory: scene.path('store'),
      environment: environment(),
      isolation: { kind: 'none' },
    })
    const profileManifest = encodeDocument(ProfileManifest.on(target), NOTHING, 'xml')
    const contents = ['a', 'b'].map((name) => ({ name, packages: [], profileManifest, modules: new Map() }))
    const [first, second] = (await store.addProfiles(contents)) as [StorePath, StorePath]
    const deployer = scene.machine
    const set = (path: StorePath) =>
      setProfile(deployer, { ...place, token: '-', path, generations: 'add', store: store.reference })
    expect([await set(first), await set(second)]).toEqual([{ generation: 1 }, { generation: 2 }])
    expect((await readProfiles(deployer, profile, [target])).current.get(target)).toMatchObject({ path: second })
    const closure = await store.closure([second])
    expect(
      await lookAtTarget(
        { name: target, machine: deployer },
        { profile, path: second, closure, store: store.reference },
      ),
    ).toEqual([])
    scene.module('[ "$1" != status ]')
    await performActivity(deployer, scene.request('activate'))
    const query = await scene.machineFor('query')
    const asked = { profile, targets: [target], references: [scene.path('module')] }
    const inventory = await readInventory(query, asked)
    expect(inventory.profiles.get(target)).toMatchObject({ path: second })
    expect([[...inventory.missing], inventory.modules.size]).toEqual([[SERVICE.pkg], 1])
    expect(inventory.timeOf(scene.mapping)).toBeInstanceOf(Date)
    const { definition } = scene.request('activate')
    const mapping = { ...scene.mapping, service: 'other' as ServiceKey }
    expect(await askUnrecorded(query, { profile, mapping, definition: definition!, timeoutSeconds: 60 })).toBe(
      'does-not-run',
    )
    const { registrations, roots } = storeLayout(store.reference.directory)
    const carrier = await scene.machineFor('carry')
    await carrier.request('protect', ['native', roots, first])
    await carrier.request('native_mark', [registrations, basename(first)])
    expect(readdirSync(roots)).toContain(`temporary:${basename(first)}`)
    expect(readdirSync(join(registrations, '../altered'))).toEqual([basename(first)])
    expect(await trimProfile(await scene.machineFor('collect'), place, [])).toBe(1)
  })

  test('snapshots are verified, damaged ones sent again, and states marked', async () => {
    const [here, there] = [await Keeper.open(shell), await Keeper.open(shell)]
    writeFileSync(here.path('file'), 'content')
    expect(await here.perform('snapshot')).toEqual({ kind: 'succeeded' })
    const snapshot = await findSnapshot(here.store, here.component)
    await noteVerified(here.store, snapshot!, { how: 'content', target })
    expect((await listSnapshots(here.store))[0]?.facts).toMatchObject({ verifiedHow: 'content', verifiedOn: 't1' })
    const signal = new AbortController().signal
    const damaged: string[] = []
    const send = () =>
      copySnapshot(here.store, [{ store: there.store, onDamaged: (names) => damaged.push(...names) }], {
        snapshot: snapshot!,
        signal,
      })
    await send()
    const copy = join(there.snapshots, 'snapshots/process/web', snapshot!.name)
    const archive = readdirSync(copy).find((name) => name.includes('.tar')) ?? ''
    for (const name of [archive, 'listing']) {
      chmodSync(join(copy, name), 0o600)
      truncateSync(join(copy, name), 40)
      await send() // oxlint-disable-line no-await-in-loop
    }
    expect([damaged, await there.names()]).toEqual([[snapshot!.name, snapshot!.name], [snapshot!.name]])
    expect((await readStateMark(here.machine, { target, ...here.component })).kind).toBe('in-use')
  })

  test('marks of Disnix are read, and those of adopted services are made', async () => {
    const directory = scratchDirectory()
    mkdirSync(join(directory, 'activated/process'), { recursive: true })
    writeFileSync(join(directory, 'activated/process/web'), '')
    const scene = await Scene.open(shell, { environment: { DYSNOMIA_STATEDIR: directory } })
    const machine = await scene.machineFor('adopt')
    expect(await originalMarks(machine)).toEqual([{ container: 'process', component: 'web' }])
    mkdirSync(scene.path('store/web'), { recursive: true })
    const service = { ...SERVICE, pkg: scene.path('store/web') as StorePath }
    const definition = { service, module: scene.module('exit 0'), properties: new Map<string, string>() }
    const terms = { ...place, token: '-' }
    expect(await adoptRecord(machine, terms, { mapping: scene.mapping, definition })).toBe('adopted')
    await adoptState(machine, terms, 'adopt')
    expect(existsSync(scene.path('state/targets/t1/dysnomia/activated/process/web'))).toBe(true)
  })

  testCalls(shell, 'every-operation')
})
