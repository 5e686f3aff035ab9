import { lstatSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

import type { ProfileName, StorePath, TargetName } from '@davit/documents'
import { removeTree } from '@davit/files'
import { environment } from '@davit/process'
import { type NativeStore, openNativeStore, storeLayout } from '@davit/store'
import { shellConnection } from '@davit/connection/testing'
import { installedShells } from '@davit/testing/shells'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { acquireLock, lookAtTarget, openMachine, setProfile, type ShellTarget } from '../src/target.ts'

const place = { target: 't1' as TargetName, profile: 'default' as ProfileName }

describe.each(installedShells())('a target with $name', (shell) => {
  let directory: string
  let store: NativeStore
  let target: ShellTarget
  let path: StorePath
  let closure: readonly StorePath[]

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'davit-look-'))
    store = await openNativeStore({
      directory: join(directory, 'store'),
      environment: environment(),
      isolation: { kind: 'none' },
    })
    const connection = shellConnection(shell, join(directory, 'state'))
    target = { name: place.target, machine: await openMachine(async () => connection) }
    path = await profileNamed('first')
    closure = await store.closure([path])
  })
  afterEach(() => {
    target.machine.close()
    removeTree(directory)
  })

  const profileNamed = async (name: string) => {
    const module = { script: Buffer.from(`#!/bin/sh\n# ${name}\n`), activities: [] }
    const modules = new Map([['process', await store.addModule('process', module)]])
    return (await store.addProfiles([{ name, packages: [], profileManifest: '<profile/>', modules }]))[0]!
  }
  const set = (to: StorePath) =>
    setProfile(target.machine, { ...place, token: '-', path: to, generations: 'add', store: store.reference })
  const look = () => lookAtTarget(target, { ...place, path, store: store.reference, closure })
  const inStore = (...names: readonly string[]) => join(store.reference.directory, '.davit', ...names)

  test('is as a run leaves it once its profile is set, and stays as it is', async () => {
    await set(path)
    const before = changeTimes(directory)
    expect(await look()).toEqual([])
    expect(changeTimes(directory)).toEqual(before)
  })

  test.runIf(shell.inDepth)('of which nothing is known yet lacks everything but its packages', async () => {
    expect(await look()).toEqual(['profile', 'root'])
  })

  test.runIf(shell.inDepth)('differs while it is locked, even if that lock is damaged', async () => {
    await set(path)
    await acquireLock(target.machine, place, { token: 'mine', owner: 'me', leaseSeconds: 1 })
    expect(await look()).toEqual(['locked'])
    writeFileSync(join(directory, 'state/targets/t1/lock/default/holder'), '')
    expect(await look()).toEqual(['locked'])
  })

  test.runIf(shell.inDepth)('differs if another profile is current', async () => {
    await set(path)
    await set(await profileNamed('second'))
    expect(await look()).toEqual(['profile'])
  })

  test.runIf(shell.inDepth).each(['profile:', 'state:'])('differs if its root %s… was removed', async (prefix) => {
    await set(path)
    for (const name of readdirSync(inStore('roots'))) {
      if (name.startsWith(prefix)) rmSync(inStore('roots', name))
    }
    expect(await look()).toEqual(['root'])
  })

  test('differs if any package of the profile, or the profile itself, was removed', async () => {
    await set(path)
    expect(closure).toHaveLength(2)
    for (const one of closure) {
      const registration = inStore('registrations', `${basename(one)}.json`)
      rmSync(registration)
      expect(await look()).toEqual(['missing'])
      writeFileSync(registration, '')
    }
    expect(await look()).toEqual([])
    for (const one of closure) {
      renameSync(one, `${one}.aside`)
      expect(await look()).toEqual(['missing'])
      renameSync(`${one}.aside`, one)
    }
    removeTree(path)
    expect(await look()).toEqual(['missing'])
  })

  test.runIf(shell.inDepth)('with a hostile request is not looked at', async () => {
    const root = `${storeLayout(store.reference.directory).roots}/profile:t1:default`
    for (const fields of [
      ['../t1', 'default', path, 'native', root],
      ['t1', 'default', '/store/../etc', 'native', root],
      ['t1', 'default', path, 'native', '/store/../etc/profile'],
      ['t1', 'default', path, 'other', root],
    ] as const) {
      await expect(target.machine.request('look', fields)).rejects.toMatchObject({ code: 'bad-request' })
    }
  })
})

test('a target that answers with something else is not believed', async () => {
  const machine = { address: 't1', request: async () => ['missing', 'nonsense'] } as never
  const expected = { profile: place.profile, path: '/store/x' as StorePath, closure: [] } as const
  const looking = lookAtTarget({ name: place.target, machine }, { ...expected, store: { kind: 'nix', directory: '/' } })
  await expect(looking).rejects.toMatchObject({ code: 'bad-answer' })
})

/** When each file below a directory, or what is in it, was last changed. */
function changeTimes(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => `${name} ${lstatSync(join(directory, name), { bigint: true }).ctimeNs}`)
}
