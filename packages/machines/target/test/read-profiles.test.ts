import { chmodSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { encodeDocument, ProfileManifest, type ProfileName, type StorePath, type TargetName } from '@davit/documents'
import { removeTree } from '@davit/files'
import { environment } from '@davit/process'
import { type NativeStore, openNativeStore } from '@davit/store'
import { shellConnection } from '@davit/connection/testing'
import { installedShells } from '@davit/testing/shells'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { acquireLock, type Machine, openMachine, readProfiles, setProfile } from '../src/target.ts'

const profile = 'default' as ProfileName
const target = 't1' as TargetName
const NOTHING: ProfileManifest = { services: new Map(), serviceMappings: [], snapshotMappings: [] }

describe.each(installedShells())('profiles of a target with $name', (shell) => {
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
  const read = () => readProfiles(machine, profile, ['t0' as TargetName, target])
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

  test.each([
    ['is missing', (name: string) => rmSync(name), 'does not exist'],
    ['is too large', (name: string) => truncateSync(name, 8_000_001), 'is too large to be a profile manifest'],
    ['is empty', (name: string) => writeFileSync(name, ''), ''],
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

  test('are refused if the current one is no store path', async () => {
    await set()
    const link = join(directory, 'state/targets/t1/profiles/default/current')
    rmSync(link)
    symlinkSync('../../../../etc', link)
    await expect(read()).resolves.toEqual(new Map())
    rmSync(join(directory, 'state/targets/t1/profiles/default/1-link'))
    symlinkSync('/etc', join(directory, 'state/targets/t1/profiles/default/1-link'))
    rmSync(link)
    symlinkSync('1-link', link)
    await expect(read()).rejects.toMatchObject({ code: 'bad-answer' })
  })
})
