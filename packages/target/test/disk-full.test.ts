import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

import type { PackageRequest, ProfileName, ServiceName, StorePath, System, TargetName } from '@davit/documents'
import { removeTree } from '@davit/files'
import { encodeRegistration, openNativeStore, storeLayout } from '@davit/store'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { noSmallDisk, smallDisk, type SmallDisk } from '../../files/test/small-disk.ts'
import { importArchive, missingNames } from '../src/native-import.ts'
import {
  acquireLock,
  lockHolder,
  type Machine,
  observeMappings,
  openMachine,
  performActivity,
  releaseLock,
  setProfile,
} from '../src/target.ts'
import { installedShells, shellConnection } from './shells.ts'

const place = { target: 't1' as TargetName, profile: 'default' as ProfileName }
const lock = { token: 'mine', owner: 'me', leaseSeconds: 60 }
const { signal } = new AbortController()
const environment = { PATH: '/usr/bin:/bin' }

describe.skipIf(noSmallDisk !== undefined).each(installedShells())('on a full disk, with $name', (shell) => {
  let disk: SmallDisk
  let machine: Machine
  const at = (...names: string[]) => join(disk.directory, ...names)

  beforeAll(async () => {
    disk = smallDisk(2 * 1024 * 1024)
    machine = await openMachine(async () => shellConnection(shell, at('state')))
    mkdirSync(at('state/targets/t1'), { recursive: true })
  })
  afterAll(() => {
    machine.close()
    disk.remove()
  })
  beforeEach(() => disk.free())

  test('no lock is taken, and nobody is locked out by one afterwards', async () => {
    disk.fill()
    await expect(acquireLock(machine, place, lock)).rejects.toMatchObject({
      code: 'cannot-create',
      message: expect.stringMatching(/no space left/i),
    })
    disk.free()
    expect(await lockHolder(machine, place)).toBeUndefined()
    expect(await acquireLock(machine, place, lock)).toMatchObject({ kind: 'acquired' })
    disk.fill()
    expect(await acquireLock(machine, place, { ...lock, token: 'yours' })).toMatchObject({ kind: 'held' })
    await releaseLock(machine, place, 'mine')
  })

  test('nothing is activated of which there could be no record', async () => {
    const module = at('module')
    writeFileSync(module, `#!/bin/sh\necho "$1" >>'${at('asked')}'\n`, { mode: 0o755 })
    writeFileSync(at('asked'), '')
    const service = {
      name: 'web',
      pkg: '/store/p',
      type: 't',
      dependsOn: [],
      connectsTo: [],
      providesContainers: new Map(),
    }
    const mapping = { target: 't1', service: 'key', container: 'c' }
    const activate = () =>
      performActivity(machine, {
        ...place,
        token: '-',
        activity: 'activate',
        mapping,
        definition: { service: { ...service, pkg: `/store/${'0'.repeat(32)}-web` }, module, properties: new Map() },
      } as never)
    disk.fill()
    expect(await activate()).toMatchObject({ kind: 'failed' })
    expect(readFileSync(at('asked'), 'utf8')).toBe('')
    disk.free()
    expect((await observeMappings(machine, place.profile)).filter(({ state }) => state === 'active')).toEqual([])
    expect(await activate()).toEqual({ kind: 'succeeded' })
    expect(readFileSync(at('asked'), 'utf8')).toBe('activate\n')
  })

  test('the profile stays what it is', async () => {
    for (const name of ['a', 'b']) mkdirSync(at(name))
    const set = (name: string) => {
      const store = { kind: 'native', directory: disk.directory } as const
      return setProfile(machine, { ...place, token: '-', path: at(name) as StorePath, store, generations: 'add' })
    }
    expect(await set('a')).toEqual({ generation: 1 })
    disk.fill()
    const outcome = await set('b').then(
      () => 'set',
      (error: unknown) => error,
    )
    // Links need no space on every file system.
    const kept = outcome === 'set' ? 'unchanged' : await set('a')
    disk.free()
    const then = outcome === 'set' ? 'unchanged' : { generation: 2 }
    expect([kept, await set('b')]).toEqual(['unchanged', then])
  })

  test('packages that do not fit are refused, leave nothing, and are sent again', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'davit-disk-full-'))
    try {
      writeFileSync(join(elsewhere, 'large'), Buffer.alloc(1024 * 1024, 'x'))
      const store = await openNativeStore({ directory: join(elsewhere, 'store'), environment })
      const request: PackageRequest = {
        spec: { kind: 'source', path: join(elsewhere, 'large') },
        system: 'x86_64-linux' as System,
        wantedBy: { service: 'web' as ServiceName },
      }
      const paths = (await store.instantiate([request])).map(({ outPath }) => outPath)
      const sent = (await store.registrations(paths)).map((registration) => ({
        name: basename(registration.path),
        registration: encodeRegistration(registration),
      }))
      const layout = storeLayout(at('store'))
      const names = sent.map(({ name }) => name)
      const send = () =>
        importArchive(machine, layout, { archive: store.export(paths), paths: sent, protect: [], needs: [], signal })
      disk.fill(300_000)
      await expect(send()).rejects.toMatchObject({
        code: 'import-failed',
        hint: expect.stringContaining('make space'),
      })
      disk.free()
      expect(await missingNames(machine, layout, names)).toEqual(names)
      await send()
      expect(await missingNames(machine, layout, names)).toEqual([])
      expect(readdirSync(layout.incoming)).toEqual([])
    } finally {
      removeTree(elsewhere)
    }
  })
})
