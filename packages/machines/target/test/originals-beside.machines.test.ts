import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'

import type { ServiceMapping, StorePath, TargetName } from '@davit/documents'
import { notingShells } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { describe, expect, test } from 'vitest'

import {
  acquireLock,
  adoptRecord,
  adoptState,
  giveBack,
  noteOriginal,
  observeMachine,
  originalMarks,
  releaseLock,
} from '../src/target.ts'
import { SERVICE } from './scene.ts'
import { originalScene, place, profile, target, WEB } from './original-scene.ts'
import { testCalls } from './functions.ts'

describe.each(notingShells())('deployments of Disnix beside davit with $name', (shell) => {
  const { inside, write, open, opened, lay, setOwn, snapshot, generations } = originalScene(shell)

  describe('have a lock of Disnix', () => {
    const lock = () => inside('tmp/disnix-default.lock')
    const taking = async (token = 'ours', leaseSeconds = 60) =>
      acquireLock(await open('deploy'), { target, profile }, { token, owner: 'me', leaseSeconds })
    const adopted = async () => {
      const path = lay()
      setOwn()
      await noteOriginal(await opened('adopt'), { ...place, path, components: [] })
      return path
    }

    test('that davit holds while it works on what it has adopted', async () => {
      lay()
      await taking()
      expect(existsSync(lock())).toBe(false)
      await releaseLock(await open('deploy'), { target, profile }, { token: 'ours' })
      await adopted()
      await taking()
      expect([lstatSync(lock()).isFile(), readFileSync(lock(), 'utf8')]).toEqual([true, 'davit\n'])
      // Davit does not keep itself out, and knows its own.
      await taking()
      expect(await observeMachine(await opened('deploy'), profile)).toMatchObject({
        originals: [],
        originalLock: undefined,
      })
      await releaseLock(await open('deploy'), { target, profile }, { token: 'ours' })
      expect([existsSync(lock()), readdirSync(inside('tmp'))]).toEqual([false, []])
    })

    test.runIf(shell.inDepth).each([
      ['a file', () => write('tmp/disnix-default.lock', '')],
      ['a link', () => symlinkSync('/nowhere', lock())],
      ['a named pipe', () => spawnSync('mkfifo', [lock()])],
      ['a link to what davit has made', () => (write('tmp/made', 'davit\n'), symlinkSync('made', lock()))],
    ])('whose end davit awaits, and which it leaves: %s', async (_, make) => {
      await adopted()
      make()
      const before = lstatSync(lock()).ino
      const refused = { code: 'original-locked', exitStatus: 75 }
      await expect(taking()).rejects.toMatchObject({
        ...refused,
        diagnostics: [{ message: `target 't1': the lock '${lock()}' is there` }],
      })
      expect(lstatSync(lock()).ino).toBe(before)
      expect((await observeMachine(await opened('deploy'), profile)).originalLock).toBe(lock())
      rmSync(lock())
      // Its own lock was released.
      expect(await taking('theirs')).toMatchObject({ kind: 'acquired' })
    })

    test.runIf(shell.inDepth)('that is removed after a run that was killed', async () => {
      await adopted()
      await taking('ours', 1)
      expect(existsSync(lock())).toBe(true)
      await until(() => !existsSync(lock()))
      // The next run may find what a restart of the machine has left.
      write('tmp/disnix-default.lock', 'davit\n')
      await taking()
      await releaseLock(await open('deploy'), { target, profile }, { token: 'ours' })
      expect(existsSync(lock())).toBe(false)
    })

    test.runIf(shell.inDepth)('that is not removed if it is not that of davit any more', async () => {
      await adopted()
      await taking()
      rmSync(lock())
      write('tmp/disnix-default.lock', '')
      await releaseLock(await open('deploy'), { target, profile }, { token: 'ours' })
      expect(readFileSync(lock(), 'utf8')).toBe('')
    })

    test.runIf(shell.inDepth)('that is kept for another target of the machine', async () => {
      await adopted()
      await taking()
      await acquireLock(
        await open('deploy'),
        { target: 't2' as TargetName, profile },
        { token: 'ours', owner: 'me', leaseSeconds: 60 },
      )
      await releaseLock(await open('deploy'), { target: 't2' as TargetName, profile }, { token: 'ours' })
      expect(existsSync(lock())).toBe(true)
      await releaseLock(await open('deploy'), { target, profile }, { token: 'ours' })
      expect(existsSync(lock())).toBe(false)
    })

    test.runIf(shell.inDepth)('before they have a profile', async () => {
      const observed = async () => (await observeMachine(await opened('deploy'), profile)).originalLock
      expect(await observed()).toBe(undefined)
      write('tmp/disnix-other.lock', '')
      expect(await observed()).toBe(undefined)
      write('tmp/disnix-default.lock', '')
      expect(await observed()).toBe(lock())
      if (process.getuid?.() !== 0) return
      // Somebody who has no part in it keeps nobody from deploying.
      chownSync(lock(), 4711, 4711)
      expect(await observed()).toBe(undefined)
    })

    test.runIf(shell.inDepth)('and profiles that davit knows before it sets them', async () => {
      const path = await adopted()
      mkdirSync(inside('store/new'))
      const original = { ...place, path: inside('store/new') as StorePath, components: [WEB] }
      const since = lay()
      await expect(giveBack(await opened('adopt'), original)).rejects.toMatchObject({
        code: 'original-changed',
        message: expect.stringMatching(`is now '${since}', and davit knows '${path}'`) as string,
      })
      expect([existsSync(inside('bin/log')), existsSync(inside('dysnomia'))]).toEqual([false, false])
    })
  })

  test('are adopted with what davit-client has recorded, and noted', async () => {
    const machine = await opened('adopt')
    const mapping = { target, container: 'process', service: 'key' } as ServiceMapping
    write('store/web/module', '')
    const service = { ...SERVICE, pkg: inside('store/web') as StorePath }
    const definition = { service, module: inside('store/web/module'), properties: new Map() }
    const name = inside('store/web').replaceAll('/', '%2F')
    write(`dysnomia/davit/targets/here/run/process/process/${name}`, 'boot uuid program 42 1 42\n')
    write('dysnomia/davit/targets/here/run/process/other/' + name, 'other\n')
    expect(await adoptRecord(machine, place, { mapping, definition })).toBe('adopted')
    const run = inside('state/targets/t1/run')
    expect(readFileSync(join(run, 'process/process/key'), 'utf8')).toBe('boot uuid program 42 1 42\n')
    expect([readdirSync(join(run, 'adopted')), existsSync(join(run, 'process/other'))]).toEqual([
      ['process:key'],
      false,
    ])
    // What a module has noted since counts.
    write('state/targets/t1/run/process/process/key', 'since\n')
    // An earlier version of davit has adopted it with an earlier module.
    write('store/later/module', '')
    expect(
      await adoptRecord(machine, place, {
        mapping,
        definition: { ...definition, module: inside('store/later/module') },
      }),
    ).toBe('present')
    expect(readFileSync(join(run, 'process/process/key'), 'utf8')).toBe('since\n')
    expect(readFileSync(inside('state/targets/t1/active/default/process:key/record'), 'utf8')).toContain(
      `module ${inside('store/later/module')}\n`,
    )
  })

  test.runIf(shell.inDepth)('are adopted without what others could have written in place of davit-client', async () => {
    const mapping = { target, container: 'process', service: 'key' } as ServiceMapping
    write('store/web/module', '')
    const service = { ...SERVICE, pkg: inside('store/web') as StorePath }
    const definition = { service, module: inside('store/web/module'), properties: new Map() }
    const name = inside('store/web').replaceAll('/', '%2F')
    write(`dysnomia/davit/targets/here/run/process/process/${name}`, 'boot uuid program 42 1 42\n')
    chmodSync(inside('dysnomia/davit'), 0o777)
    expect(await adoptRecord(await opened('adopt'), place, { mapping, definition })).toBe('adopted')
    expect(existsSync(inside('state/targets/t1/run/process'))).toBe(false)
  })

  test.runIf(shell.inDepth)('have the snapshots adopted that modules of davit have taken for Disnix', async () => {
    snapshot('dysnomia', 'a', 1)
    write('dysnomia/snapshots/process/web/a/listing', 'davit snapshot 1\n')
    expect(await adoptState(await opened('adopt'), place, 'adopt')).toMatchObject({ snapshots: [{ name: 'a' }] })
    expect(generations('state/targets/t1/dysnomia')).toEqual(['1 a'])
  })

  test('are said to have components that nobody has marked as active', async () => {
    const named = ['web', 'called', 'lost'].map((component) => ({ container: 'process', component }))
    write('dysnomia/activated/process/web', '')
    write('dysnomia/davit/targets/here/active/here/process:called/state', 'active\n')
    const machine = await opened('adopt')
    expect(await adoptState(machine, { ...place, components: named }, 'dry-run')).toEqual({
      snapshots: [],
      unmarked: [named[2]],
    })
    write('dysnomia/activated/process/bad name', '')
    expect(await originalMarks(machine)).toEqual([named[0]])
  })

  testCalls(shell, 'originals-beside')
})
