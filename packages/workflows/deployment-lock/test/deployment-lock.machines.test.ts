import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { TargetName } from '@davit/documents'
import { lockHolder, releaseLock } from '@davit/target'
import { until } from '@davit/testing/wait'
import { describe, expect, test } from 'vitest'

import { acquireLocks, isDead, ownerOf, withLease, withLock, writeLockRecord } from '../src/deployment-lock.ts'
import type { LockOwner } from '../src/lock-owner.ts'
import { dead, here, owner, placeOf, Scene, termsOf } from './scene.ts'

const scene = new Scene()

describe('acquireLocks()', () => {
  test('takes all locks or none, and says who holds them', async () => {
    await scene.takeAt(1)
    await expect(acquireLocks(scene.targets, termsOf('mine'))).rejects.toMatchObject({
      code: 'locked',
      exitStatus: 75,
      message: expect.stringMatching(
        /^profile 'default' on target 't2' is locked by \S+@\S+ \(process \d+\), since 20/,
      ),
    })
    expect(await scene.holders()).toEqual([undefined, 'theirs'])
  })

  test.each([['in their order'], ['the other way round']])(
    'given targets %s, asks the others only when the first has said yes, so that two never refuse each other',
    async (order) => {
      await scene.takeAt(0)
      const given = order === 'in their order' ? scene.targets : scene.targets.toReversed()
      await expect(acquireLocks(given, termsOf('mine'))).rejects.toMatchObject({
        message: expect.stringContaining("on target 't1'"),
      })
      expect(existsSync(join(scene.directory, 't2/targets/t2/lock/default/number'))).toBe(false)
      expect(await scene.holders()).toEqual(['theirs', undefined])
    },
  )

  test('takes over immediately from a dead holder', async () => {
    await scene.takeAt(0, { by: dead })
    await acquireLocks(scene.targets, termsOf('mine'))
    expect(await scene.holders()).toEqual(['mine', 'mine'])
  })
})

describe('isDead()', () => {
  const elsewhere = { ...dead.holder, namespace: '1' }
  test.each<[string, Partial<LockOwner>, boolean]>([
    ['a process that is gone', { holder: dead.holder }, true],
    ['this process', {}, false],
    ['a process in another container', { holder: elsewhere }, false],
    ['a process before the last boot', { bootId: 'another' }, true],
    ['a process of another machine', { bootId: 'another', machineId: 'another' }, false],
    ['a process of a copy of this machine', { bootId: 'another', host: 'another' }, false],
  ])('knows of %s', (_, differences, expected) => {
    const machine = { machineId: 'this' }
    expect(isDead({ ...owner, ...machine, ...differences }, { ...here, ...machine })).toBe(expected)
  })

  test('cannot tell apart containers with the same host name and no machine id', () => {
    const container = { machineId: '' }
    expect(isDead({ ...owner, ...container, bootId: 'another' }, { ...here, ...container })).toBe(false)
    // As written by versions that used the name of the host instead.
    const named = { machineId: here.host }
    expect(isDead({ ...owner, ...named, bootId: 'another' }, { ...here, ...container })).toBe(false)
  })

  test('knows nothing where the boot cannot be read', () => {
    expect(isDead({ ...owner, holder: dead.holder, bootId: '' }, { ...here, bootId: '' })).toBe(false)
  })

  test('knows of a process that has just ended', () => {
    const { pid } = spawnSync('true')
    expect(isDead({ ...owner, holder: { ...owner.holder, pid } }, here)).toBe(true)
  })
})

describe('withLock()', () => {
  test('holds the lock as long as the work lasts', async () => {
    const token = await withLock(scene.targets, scene.use, async (lock) => {
      expect(await scene.holders()).toEqual([lock.token, lock.token])
      return lock.token
    })
    expect(token).toMatch(/^[0-9a-f]{32}$/)
    expect(await scene.holders()).toEqual([undefined, undefined])
  })

  test('reports the first failure, and releases what it can', async () => {
    const failing = withLock(scene.targets, scene.use, async ({ token }) => {
      await releaseLock(scene.at(0).machine, placeOf(scene.at(0)), { token })
      throw new Error('the work failed')
    })
    await expect(failing).rejects.toThrow('the work failed')
    expect(await scene.holders()).toEqual([undefined, undefined])
  })

  test('joins what a davit-lock of this run holds, and leaves it', async () => {
    await acquireLocks(scene.targets, termsOf('recorded'))
    await scene.leaveRecord('recorded')
    expect(await withLock(scene.targets, scene.use, async ({ token }) => token)).toBe('recorded')
    expect(await scene.holders()).toEqual(['recorded', 'recorded'])
  })

  test('joins what the shell that it comes from has locked', async () => {
    await acquireLocks(scene.targets, termsOf('recorded'))
    await scene.leaveRecord('recorded', ownerOf(here, 'parent'))
    expect(await withLock(scene.targets, scene.use, async ({ token }) => token)).toBe('recorded')
  })

  test('does not join what another terminal or script of the same user has locked', async () => {
    const other = spawn('sleep', ['60'])
    try {
      const stat = readFileSync(`/proc/${other.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      const theirs = { ...owner, holder: { ...owner.holder, pid: other.pid ?? 0, startTime: Number(stat[19]) } }
      await acquireLocks(scene.targets, { ...termsOf('theirs'), owner: theirs })
      await scene.leaveRecord('theirs', theirs)
      const refused = withLock(scene.targets, scene.use, async () => {})
      await expect(refused).rejects.toMatchObject({
        code: 'locked',
        exitStatus: 75,
        hint: expect.stringContaining("'davit-unlock -p default --id theirs -i INFRASTRUCTURE' releases it"),
      })
      // Targets that it has not locked are free for everybody.
      await releaseLock(scene.at(0).machine, placeOf(scene.at(0)), { token: 'theirs' })
      expect(await withLock([scene.at(0)], scene.use, async ({ token }) => token)).toMatch(/^[0-9a-f]{32}$/)
      expect(await scene.holders()).toEqual([undefined, 'theirs'])
    } finally {
      other.kill()
    }
  })

  test('joins what is locked under a name that a machine had before, and leaves it', async () => {
    const [first, second] = [scene.at(0), scene.at(1)]
    const former = { name: 'old' as TargetName, machine: first.machine }
    await acquireLocks([...scene.targets, former], termsOf('recorded'))
    const renamed = [{ name: 'old', at: 't1' }]
    await writeLockRecord(scene.place, {
      token: 'recorded',
      owner,
      processGroup: 1,
      manifest: '',
      targets: ['t1', 't2'],
      renamed,
    })
    await withLock(scene.targets, scene.use, async (lock) => {
      await lock.extend([former], async () => {})
      expect(await lockHolder(former.machine, placeOf(former))).toMatchObject({ token: 'recorded' })
      // The same name on another machine is another target.
      const elsewhere = { ...former, machine: second.machine }
      await lock.extend([elsewhere], async () => {
        expect(await lockHolder(elsewhere.machine, placeOf(elsewhere))).toMatchObject({ token: 'recorded' })
      })
      expect(await lockHolder(elsewhere.machine, placeOf(elsewhere))).toBeUndefined()
    })
  })

  test('does not join what was lost, whoever holds it now', async () => {
    await scene.leaveRecord('recorded')
    await scene.takeAt(0, { token: 'recorded' })
    await expect(withLock(scene.targets, scene.use, async () => {})).rejects.toMatchObject({
      code: 'lock-lost',
      message: expect.stringContaining("'t2'"),
    })
    expect(await scene.holders()).toEqual(['recorded', undefined])
  })

  test.each([
    ['whose owner is dead', undefined],
    ['that nobody can read', '{"token": 1}'],
    ['that was cut off', '{"tok'],
  ])('takes the lock itself where there is a record %s', async (_, text) => {
    await scene.leaveRecord('recorded', dead)
    if (text !== undefined) writeFileSync(join(scene.place, 'lock.json'), text)
    expect(await withLock(scene.targets, scene.use, async ({ token }) => token)).toMatch(/^[0-9a-f]{32}$/)
  })

  test('takes the lock of more targets in the middle of the work', async () => {
    const [first, second] = [scene.at(0), scene.at(1)]
    await withLock([first], scene.use, async (lock) => {
      expect(await scene.holders()).toEqual([lock.token, undefined])
      await lock.extend([second], async (all) => {
        expect(all.token).toBe(lock.token)
        expect(await scene.holders()).toEqual([lock.token, lock.token])
      })
      expect(await scene.holders()).toEqual([lock.token, undefined])
    })
    expect(await scene.holders()).toEqual([undefined, undefined])
  })

  test('ignores every lock on request', async () => {
    await scene.takeAt(0)
    expect(await withLock(scene.targets, { ...scene.use, locking: 'none' }, async ({ token }) => token)).toBe('-')
  })
})

describe('withLease()', () => {
  test('renews the locks while the work goes on', async () => {
    const terms = { ...termsOf('mine'), leaseSeconds: 1 }
    await acquireLocks(scene.targets, terms)
    const holder = join(scene.directory, 't1/targets/t1/lock/default/holder')
    const renewed = () => /renewed (\d+)/.exec(readFileSync(holder, 'utf8'))?.[1]
    const first = renewed()
    await withLease(scene.targets, terms, (lost) =>
      until(() => {
        expect(renewed()).not.toBe(first)
        expect(lost.aborted).toBe(false)
      }),
    )
  })

  test('tells when a lock was lost, even if nobody holds it any more', async () => {
    const terms = { ...termsOf('mine'), leaseSeconds: 1 }
    await acquireLocks(scene.targets, terms)
    await releaseLock(scene.at(1).machine, placeOf(scene.at(1)), { token: 'mine' })
    const reason = await withLease(scene.targets, terms, async (lost) => {
      await until(() => expect(lost.aborted).toBe(true))
      return lost.reason as unknown
    })
    expect(reason).toMatchObject({ code: 'lock-lost', message: expect.stringContaining("target 't2'") })
    expect(await scene.holders()).toEqual(['mine', undefined])
  })
})
