import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { encodeDocument, ProfileManifest, type ProfileName, type StorePath, type TargetName } from '@davit/documents'
import { removeTree } from '@davit/files'
import { environment } from '@davit/process'
import { type NativeStore, openNativeStore } from '@davit/store'
import { shellConnection } from '@davit/connection/testing'
import { shellsInDepth } from '@davit/testing/shells'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { acquireLock, type Machine, openMachine, readProfiles, releaseLock, setProfile } from '../src/target.ts'

const profile = 'default' as ProfileName
const target = 't1' as TargetName
const SOMEBODY_ELSES = JSON.stringify({
  document: 'profilemanifest',
  version: 2,
  services: { k: { name: 'a', pkg: `/store/${'0'.repeat(32)}-a`, type: 'process' } },
  serviceMappings: [{ service: 'k', container: 'process', target: 't2' }],
  snapshotMappings: [],
})
const NOTHING: ProfileManifest = { services: new Map(), serviceMappings: [], snapshotMappings: [] }

describe.each(shellsInDepth())('profiles of a target with $name', (shell) => {
  let directory: string
  let store: NativeStore
  let machine: Machine
  let path: StorePath

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'davit-profiles-'))
    store = await openNativeStore({
      directory: join(directory, 'store'),
      environment: environment(),
      isolation: { kind: 'none' },
    })
    machine = await openMachine(async () => shellConnection(shell, join(directory, 'state')))
    const profileManifest = encodeDocument(ProfileManifest.on(target), NOTHING, 'xml')
    path = (await store.addProfiles([{ name: 't1', packages: [], profileManifest, modules: new Map() }]))[0]!
  })
  afterEach(() => {
    machine.close()
    removeTree(directory)
  })

  const set = () =>
    setProfile(machine, { target, profile, token: '-', path, generations: 'add', store: store.reference })
  const readAll = () => readProfiles(machine, profile, ['t0' as TargetName, target])
  const read = async () => (await readAll()).current
  const link = (name: string) => join(directory, 'state/targets/t1/profiles/default', name)
  const replaceLink = (name: string, to: string) => {
    rmSync(link(name))
    symlinkSync(to, link(name))
  }
  const file = () => `${path}/profilemanifest.xml`

  test('are read with their manifests, and left out where there is none', async () => {
    expect(await read()).toEqual(new Map())
    await set()
    expect(await read()).toEqual(new Map([[target, { path, isLocked: false, manifest: NOTHING, problem: undefined }]]))
  })

  test('are said to be locked', async () => {
    await set()
    await acquireLock(machine, { target, profile }, { token: 'mine', owner: 'me', leaseSeconds: 60 })
    expect((await read()).get(target)?.isLocked).toBe(true)
  })

  test('are told as wanted until they are current, or the run is over', async () => {
    const wanted = { path, targets: 2, store: 'native' } as const
    const lock = (token: string) =>
      acquireLock(machine, { target, profile }, { token, owner: 'me', leaseSeconds: 60, deadToken: 'a', wanted })
    const told = async () => (await readAll()).told.get(target)
    await lock('a')
    const run = { number: 1, targets: 2, token: 'a', isNew: true, path, manifest: NOTHING, problem: undefined }
    expect(await told()).toEqual([run])
    await lock('a')
    expect(await told()).toEqual([run])
    await lock('b')
    await releaseLock(machine, { target, profile }, { token: 'b' })
    expect(await told()).toEqual([run])
    await set()
    expect(await told()).toMatchObject([{ token: 'a', manifest: NOTHING }])
    await lock('c')
    expect((await told())?.find(({ token }) => token === 'c')).toMatchObject({ isNew: false, number: 3 })
    await releaseLock(machine, { target, profile }, { token: 'c', intention: 'keep' })
    const other = (
      await store.addProfiles([{ name: 't1', packages: [], profileManifest: 'other', modules: new Map() }])
    )[0]!
    await setProfile(machine, { target, profile, token: '-', path: other, generations: 'add', store: store.reference })
    expect(await told()).toBeUndefined()
  })

  test('that runs have wanted are forgotten twenty locks later', async () => {
    const wanted = { path, targets: 2, store: 'native' } as const
    for (let number = 1; number <= 22; number += 1) {
      const token = `run${number}`
      await acquireLock(machine, { target, profile }, { token, owner: 'me', leaseSeconds: 60, wanted })
      await releaseLock(machine, { target, profile }, { token, intention: 'keep' })
    }
    const numbers = (await readAll()).told.get(target)?.map(({ number }) => number) ?? []
    expect([Math.min(...numbers), numbers.length]).toEqual([3, 20])
  })

  test('are not told by files that no run has made', async () => {
    await set()
    const rest = '2.token.7'
    const names = [
      'foo',
      'next',
      `next.0.token.7`,
      'next.2.token.0',
      'next.2.7',
      'next..token.7',
      'next.2..7',
      `last.${rest}`,
    ]
    names.push(
      'next.2.to.ken.7',
      'next.2.t\u00F6ken.7',
      'next.2.token.x7',
      'next.2.token.',
      'next.1234567.token.7',
      'next.02.token.7',
    )
    names.push(
      `next.2.${'t'.repeat(201)}.7`,
      `next.2.token.${'7'.repeat(16)}`,
      'next.2.to\nken.7',
      'next.*.token.7',
      `${rest}.next`,
    )
    for (const name of names) symlinkSync('/store/elsewhere', link(`wanted.${name}`))
    writeFileSync(link(`wanted.same.${rest}`), '')
    expect((await readAll()).told).toEqual(new Map())
    symlinkSync('/store/elsewhere', link(`wanted.next.${rest}`))
    expect((await readAll()).told.get(target)).toMatchObject([{ number: 7, targets: 2, token: 'token' }])
    await set()
    expect((await readAll()).told).toEqual(new Map())
    for (const name of names) expect(readlinkSync(link(`wanted.${name}`))).toBe('/store/elsewhere')
  })

  test.each([
    ['is missing', (name: string) => rmSync(name), 'does not exist'],
    ['is too large', (name: string) => truncateSync(name, 8_000_001), 'is too large to be a profile manifest'],
    ['is empty', (name: string) => writeFileSync(name, ''), 'is empty'],
    ['is a directory', (name: string) => (rmSync(name), mkdirSync(name)), 'cannot be read'],
    ['leads nowhere', (name: string) => (rmSync(name), symlinkSync('/nowhere', name)), 'does not exist'],
    ['is a device that never ends', (name: string) => (rmSync(name), symlinkSync('/dev/zero', name)), 'cannot be read'],
    ['belongs to another target', (name: string) => writeFileSync(name, SOMEBODY_ELSES), "belongs to 't2'"],
    ['is damaged', (name: string) => writeFileSync(name, '<profilemanifest version="2"><services>\u0001'), ''],
  ])('have a problem if the manifest %s', async (_, damage, reason) => {
    await set()
    chmodSync(path, 0o755)
    chmodSync(file(), 0o644)
    damage(file())
    const found = (await read()).get(target)
    expect(found).toMatchObject({ path, manifest: undefined })
    expect(found?.problem?.message).toContain(reason)
    expect(found?.problem?.message).toContain(`t1:${file()}`)
  })

  test.each([
    ['leads elsewhere', '../../../../etc', undefined],
    ['leads to no generation', '7-link', undefined],
    ['leads to no store', '1-link', '/etc'],
    ['leads to itself', 'current', undefined],
    ['leads to a file', '1-link', '/dev/null'],
  ])('have a problem if the link to the current one %s', async (_, link, generation) => {
    await set()
    replaceLink('current', link)
    if (generation !== undefined) replaceLink('1-link', generation)
    expect((await read()).get(target)).toMatchObject({
      path: undefined,
      manifest: undefined,
      problem: { code: 'bad-profile', message: "the current profile of 't1' leads to no path in a store" },
    })
  })

  test.each(['current', '1-link'])('have a problem if %s is a directory', async (name) => {
    await set()
    rmSync(link(name))
    mkdirSync(link(name))
    expect((await read()).get(target)).toMatchObject({ path: undefined, problem: { code: 'bad-profile' } })
  })
})
