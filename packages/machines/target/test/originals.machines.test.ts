import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'

import type { ProfileName, ServiceMapping, StorePath } from '@davit/documents'
import { notingShells } from '@davit/testing/shells'
import { describe, expect, test } from 'vitest'

import {
  acquireLock,
  adoptRecord,
  adoptState,
  giveBack,
  noteOriginal,
  observeMachine,
  originalProfile,
} from '../src/target.ts'
import { SERVICE } from './scene.ts'
import { originalScene, place, profile, target, WEB, NOTHING } from './original-scene.ts'
import { testCalls } from './functions.ts'

describe.each(notingShells())('deployments of Disnix with $name', (shell) => {
  const { inside, write, open, opened, surround, lay, setOwn, snapshot, generations } = originalScene(shell)
  const originals = async () => (await observeMachine(await opened('deploy'), profile)).originals

  test('are observed until they are adopted, and again once Disnix has deployed', async () => {
    expect(await originals()).toEqual([])
    const path = lay()
    const other = lay('other')
    symlinkSync('/nowhere', inside('nix/profiles/disnix/dangling'))
    const [first, second] = await originals()
    expect([first, second]).toMatchObject([
      { profile, path, isLocked: false },
      { profile: 'other', path: other, isLocked: false },
    ])
    expect(first && originalProfile(first, target)).toEqual({
      path,
      isLocked: false,
      manifest: NOTHING,
      problem: undefined,
    })
    await noteOriginal(await opened('adopt'), { ...place, path, components: [] })
    // As long as davit has nothing of its own, it may have lost that.
    expect(await originals()).toEqual([first, second])
    setOwn()
    expect(await originals()).toEqual([second])
    lay()
    write('tmp/disnix-default.lock', '')
    expect(await originals()).toMatchObject([{ profile, isLocked: true }, { profile: 'other' }])
  })

  test.runIf(shell.inDepth)('are no reason to refuse a machine if they are none', async () => {
    const path = lay()
    for (const name of ['no-store', 'x'.repeat(220), 'ähnlich', '-x', '$(id)']) {
      mkdirSync(inside('elsewhere', "it's"), { recursive: true })
      symlinkSync(inside('elsewhere', name === 'no-store' ? "it's" : ''), inside('nix/profiles/disnix', name))
    }
    expect(await originals()).toMatchObject([{ profile, path, isLocked: false }])
    // Disnix cannot make its lock either.
    symlinkSync('/nowhere', inside('tmp/disnix-default.lock'))
    expect(await originals()).toMatchObject([{ profile, isLocked: true }])
  })

  test.skipIf(!shell.inDepth)('are read as far as an answer has space, that of the same name first', async () => {
    lay()
    for (const name of ['zzz', 'a', 'b', 'c']) truncateSync(join(lay(name), 'profilemanifest.xml'), 8000)
    // An answer with space for 32 MB would take seconds.
    const machine = await open('deploy', (text) => text.replace('space=32000000', 'space=32000   '))
    const read = (await observeMachine(machine, 'zzz' as ProfileName)).originals
    const signs = read.map((one) => [one.profile, one.manifest.slice(0, 1)])
    expect(signs.slice(0, 3)).toEqual([
      ['zzz', '3'],
      ['a', '3'],
      ['b', '~'],
    ])
    expect([signs.length, signs.at(-1)]).toEqual([5, [profile, '~']])
    expect(originalProfile(read[2]!, target).problem?.message).toContain('was not read: the profiles of Disnix')
  })

  test.runIf(shell.inDepth)('are said to be locked, whatever is in place of the lock', async () => {
    lay()
    spawnSync('mkfifo', [inside('tmp/disnix-default.lock')])
    expect(await originals()).toMatchObject([{ profile, isLocked: true }])
  })

  test('have their snapshots adopted in order, as often as they come', async () => {
    for (const [index, name] of ['a', 'b', 'c'].entries()) snapshot('dysnomia', name, index + 9)
    const state = 'state/targets/t1/dysnomia'
    const copied = async (mode: 'adopt' | 'dry-run') =>
      (await adoptState(await opened('adopt'), place, mode)).snapshots.map(({ name }) => name)
    expect([await copied('dry-run'), generations(state)]).toEqual([['a', 'b', 'c'], []])
    expect(await copied('adopt')).toEqual(['a', 'b', 'c'])
    expect(generations(state).toSorted()).toEqual(['10 b', '11 c', '9 a'])
    expect(readFileSync(inside(state, 'checksums/process/web/b'), 'utf8')).toBe('sha256:b')
    expect(await copied('adopt')).toEqual([])
    symlinkSync('../../../snapshots/process/web/a', inside('dysnomia/generations/process/web/12'))
    expect(await copied('adopt')).toEqual([])
    expect(generations(state)).toContain('12 a')
  })

  test.runIf(shell.inDepth)('leave what is no snapshot where it is', async () => {
    snapshot('dysnomia', 'a', 1)
    mkdirSync(inside('dysnomia/generations/process/-rf'), { recursive: true })
    symlinkSync('../../../snapshots/process/web/gone', inside('dysnomia/generations/process/web/2'))
    symlinkSync('../../../../..', inside('dysnomia/generations/process/web/3'))
    write('dysnomia/generations/process/web/x', '')
    // A snapshot is no link: what it leads to may be anything.
    symlinkSync('a', inside('dysnomia/snapshots/process/web/linked'))
    symlinkSync('../../../snapshots/process/web/linked', inside('dysnomia/generations/process/web/4'))
    for (const number of ['08', '9'.repeat(30)])
      symlinkSync('../../../snapshots/process/web/a', inside('dysnomia/generations/process/web', number))
    expect(await adoptState(await opened('adopt'), place, 'adopt')).toMatchObject({ snapshots: [{ name: 'a' }] })
    expect(generations('state/targets/t1/dysnomia')).toEqual(['1 a'])
  })

  test('are given back with markers, and with the snapshots that Dysnomia can read', async () => {
    const state = 'state/targets/t1/dysnomia'
    snapshot(state, 'a', 1)
    snapshot(state, 'b', 2)
    write(`${state}/snapshots/process/web/b/listing`, 'davit snapshot 1\n')
    const path = lay()
    mkdirSync(inside('store/new'))
    const back =
      (components = [WEB]) =>
      async () =>
        giveBack(await opened('adopt'), { ...place, path: inside('store/new') as StorePath, components })
    expect(await back()()).toEqual({ kind: 'set', unreadable: [{ ...WEB, name: 'b' }] })
    expect(path).not.toBe(inside('store/new'))
    expect(generations('dysnomia')).toEqual(['1 a'])
    expect(existsSync(inside('dysnomia/activated/process/web'))).toBe(true)
    // Modules of Dysnomia read there as other users.
    for (const kind of ['activated', 'generations', 'snapshots', 'checksums'])
      expect([kind, statSync(inside('dysnomia', kind, 'process')).mode & 0o777]).toEqual([kind, 0o755])
    expect(statSync(inside('dysnomia')).mode & 0o777).toBe(0o755)
    expect(readlinkSync(inside('nix/profiles/disnix/default'))).toBe('default-9-link')
    expect(await originals()).toEqual([])
    expect(await back()()).toMatchObject({ kind: 'unchanged' })
    expect(readFileSync(inside('bin/log'), 'utf8').split('\n')).toHaveLength(2)
  })

  test.runIf(shell.inDepth).each([
    ['..', 'web'],
    ['process', '../../web'],
    ['process', '-web'],
  ])('are not given back with markers of %j and %j, which lead elsewhere', async (container, component) => {
    lay()
    mkdirSync(inside('store/new'))
    const original = { ...place, path: inside('store/new') as StorePath, components: [WEB, { container, component }] }
    await expect(giveBack(await opened('adopt'), original)).rejects.toMatchObject({ code: 'bad-request' })
    expect([existsSync(inside('bin/log')), existsSync(inside('web')), readdirSync(inside('dysnomia'))]).toEqual([
      false,
      false,
      ['activated'],
    ])
  })

  test.runIf(shell.inDepth)('keep the markers of what another deployment has active', async () => {
    lay()
    mkdirSync(inside('store/new'))
    const machine = await opened('adopt')
    const path = inside('store/new') as StorePath
    write('state/targets/t1/dysnomia/garbage/process/web', '')
    await noteOriginal(machine, { ...place, profile: 'other' as ProfileName, path: lay('other'), components: [WEB] })
    await giveBack(machine, { ...place, path, components: [WEB] })
    await giveBack(machine, { ...place, path, components: [] })
    expect(readdirSync(inside('dysnomia/activated/process'))).toEqual(['web'])
    expect(existsSync(inside('dysnomia/garbage/process/web'))).toBe(false)
  })

  // In Busybox, `id` is part of the shell.
  test.runIf(shell.inDepth && shell.name !== 'busybox')('of an ordinary account are its own', async () => {
    write('bin/id', '#!/bin/sh\ncase $1 in -un) echo anna ;; *) echo 1000 ;; esac\n')
    surround({ USER: 'root' })
    const path = lay()
    expect(await originals()).toEqual([])
    mkdirSync(inside('nix/profiles/per-user/anna'), { recursive: true })
    symlinkSync(inside('nix/profiles/disnix'), inside('nix/profiles/per-user/anna/disnix'))
    expect(await originals()).toMatchObject([{ profile, path }])
    mkdirSync(inside('store/new'))
    await giveBack(await opened('adopt'), { ...place, path: inside('store/new') as StorePath, components: [] })
    expect(readFileSync(inside('bin/log'), 'utf8')).toContain(inside('nix/profiles/per-user/anna/disnix/default'))
    expect(await originals()).toEqual([])
  })

  test.runIf(shell.inDepth && shell.name !== 'busybox')('of an account without a name are those of $USER', async () => {
    write('bin/id', '#!/bin/sh\ncase $1 in -un) echo 1000 && exit 1 ;; *) echo 1000 ;; esac\n')
    const path = lay()
    mkdirSync(inside('nix/profiles/per-user/berta'), { recursive: true })
    symlinkSync(inside('nix/profiles/disnix'), inside('nix/profiles/per-user/berta/disnix'))
    surround({ USER: 'berta' })
    expect(await originals()).toMatchObject([{ profile, path }])
    for (const name of ['', '..', '../..', 'berta/../berta']) {
      surround({ USER: name })
      expect(await originals()).toEqual([])
    }
    mkdirSync(inside('store/new'))
    const back = giveBack(await opened('adopt'), { ...place, path: inside('store/new') as StorePath, components: [] })
    await expect(back).rejects.toMatchObject({ code: 'cannot-read' })
  })

  test('are told what is not active any more: garbage, if davit has kept its state', async () => {
    lay()
    mkdirSync(inside('store/new'))
    const machine = await opened('adopt')
    const path = inside('store/new') as StorePath
    const plain = { container: 'process', component: 'plain' }
    await giveBack(machine, { ...place, path, components: [WEB, plain] })
    write('state/targets/t1/dysnomia/garbage/process/web', '')
    await giveBack(machine, { ...place, path, components: [] })
    expect(readdirSync(inside('dysnomia/activated/process'))).toEqual([])
    expect(readdirSync(inside('dysnomia/garbage/process'))).toEqual(['web'])
    await giveBack(machine, { ...place, path, components: [WEB] })
    expect(readdirSync(inside('dysnomia/activated/process'))).toEqual(['web'])
    expect(readdirSync(inside('dysnomia/garbage/process'))).toEqual([])
  })

  test('are not adopted over a service that davit is changing', async () => {
    const machine = await opened('adopt')
    const mapping = { target, container: 'process', service: 'key' } as ServiceMapping
    write('store/web/module', '')
    const service = { ...SERVICE, pkg: inside('store/web') as StorePath }
    const definition = { service, module: inside('store/web/module'), properties: new Map() }
    const adopted = async () => adoptRecord(machine, place, { mapping, definition })
    expect([await adopted(), await adopted()]).toEqual(['adopted', 'present'])
    // A claim of this process.
    const startTime = readFileSync('/proc/self/stat', 'utf8').replace(/.*\) /, '').split(' ')[19]
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const claim = inside('state/targets/t1/active/default/process:key/running')
    symlinkSync(`${process.pid}:${startTime}:${boot}`, claim)
    await expect(adopted()).rejects.toMatchObject({ code: 'already-running' })
  })

  test.runIf(shell.inDepth)('are neither adopted nor given back without the lock', async () => {
    lay()
    snapshot('dysnomia', 'a', 1)
    mkdirSync(inside('store/new'))
    const machine = await opened('adopt')
    await acquireLock(await opened('deploy'), { target, profile }, { token: 'theirs', owner: 'me', leaseSeconds: 60 })
    const ours = { ...place, token: 'ours', path: inside('store/new') as StorePath, components: [WEB] }
    const mapping = { target, container: 'process', service: 'key' } as ServiceMapping
    const definition = { service: { ...SERVICE, pkg: ours.path }, module: '/no/module', properties: new Map() }
    for (const work of [
      () => adoptRecord(machine, ours, { mapping, definition }),
      () => adoptState(machine, ours, 'adopt'),
      () => noteOriginal(machine, ours),
      () => giveBack(machine, ours),
    ])
      await expect(work()).rejects.toMatchObject({ code: 'lock-lost' })
    expect([generations('state/targets/t1/dysnomia'), await originals()]).toMatchObject([[], [{ profile }]])
    expect(['adopted', 'targets/t1/active'].filter((name) => existsSync(inside('state', name)))).toEqual([])
    expect(['bin/log', 'dysnomia/activated'].filter((name) => existsSync(inside(name)))).toEqual([])
  })

  testCalls(shell, 'originals')
})
