import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { removeTree } from '@davit/files'
import { type Connection, openLocal } from '@davit/connection'
import type {
  ContainerName,
  ManifestService,
  ProfileName,
  ServiceKey,
  ServiceName,
  StorePath,
  TargetName,
} from '@davit/documents'
import { processIdentity } from '@davit/process'
import { acquireLock, lockHolder, openMachine, performActivity, releaseLock, type ShellTarget } from '@davit/target'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import {
  acquireLocks,
  encodeOwner,
  endDeployment,
  formerTargets,
  isDead,
  type LockOwner,
  lockServices,
  type LockTerms,
  type LockUse,
  ownerOf,
  readLockRecord,
  type ServiceLockTerms,
  unlockServices,
  withLease,
  withLock,
  writeLockRecord,
} from '../src/deployment-lock.ts'

const profile = 'default' as ProfileName
const here = processIdentity()
const PATIENCE = { timeout: 40_000 }
const PATH = '/usr/bin:/bin'

let directory: string
let place: string
let connections: Connection[]
let targets: ShellTarget[]
let use: LockUse

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'davit-lock-'))
  place = join(directory, 'coordinator')
  use = { profile, leaseSeconds: 60, place, locking: 'join-or-take' }
  connections = ['t1', 't2'].map((name) =>
    openLocal({ environment: { PATH, HOME: directory, DAVIT_STATE_DIR: join(directory, name) } }),
  )
  targets = await Promise.all(
    connections.map(async (connection, index) => ({
      name: `t${index + 1}` as TargetName,
      machine: await openMachine(async () => connection),
    })),
  )
})
afterEach(async () => {
  await Promise.all(connections.map((connection) => connection.close()))
  removeTree(directory)
  // A helper still finishes its last request, and may make its directory anew.
  for (let tries = 0; tries < 100 && processesOf(directory).length > 0; tries += 1) await delay(20)
  removeTree(directory)
})

/** Processes that have a text in their environment. */
function processesOf(text: string): readonly string[] {
  const has = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(text)
    } catch {
      return false
    }
  }
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && has(name))
}

const owner = ownerOf(here, 'self')
const termsOf = (token: string): LockTerms & ServiceLockTerms => ({
  profile,
  token,
  owner,
  leaseSeconds: 60,
  here,
  coresOf: () => 2,
})
const dead: LockOwner = { ...owner, holder: { ...owner.holder, startTime: 1 } }
const placeOf = ({ name }: ShellTarget) => ({ target: name, profile })
const at = (index: number): ShellTarget => targets[index] as ShellTarget
const holders = () =>
  Promise.all(targets.map(async (target) => (await lockHolder(target.machine, placeOf(target)))?.token))
const takeAt = (index: number, { token = 'theirs', by = owner, leaseSeconds = 60 } = {}) =>
  acquireLock(at(index).machine, placeOf(at(index)), { token, owner: encodeOwner(by), leaseSeconds })
const leaveRecord = (token: string, by = owner) =>
  writeLockRecord(place, { token, owner: by, processGroup: 1, manifest: '', targets: ['t1', 't2'], renamed: [] })

describe('acquireLocks()', () => {
  test('takes all locks or none, and says who holds them', async () => {
    await takeAt(1)
    await expect(acquireLocks(targets, termsOf('mine'))).rejects.toMatchObject({
      code: 'locked',
      exitStatus: 75,
      message: expect.stringMatching(
        /^profile 'default' on target 't2' is locked by \S+@\S+ \(process \d+\) \(since 20/,
      ),
    })
    expect(await holders()).toEqual([undefined, 'theirs'])
  })

  test.each([['in their order'], ['the other way round']])(
    'given targets %s, asks the others only when the first has said yes, so that two never refuse each other',
    async (order) => {
      await takeAt(0)
      const given = order === 'in their order' ? targets : targets.toReversed()
      await expect(acquireLocks(given, termsOf('mine'))).rejects.toMatchObject({
        message: expect.stringContaining("on target 't1'"),
      })
      expect(existsSync(join(directory, 't2/targets/t2/lock/default/number'))).toBe(false)
      expect(await holders()).toEqual(['theirs', undefined])
    },
  )

  test('takes over immediately from a dead holder', async () => {
    await takeAt(0, { by: dead })
    await acquireLocks(targets, termsOf('mine'))
    expect(await holders()).toEqual(['mine', 'mine'])
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
    const token = await withLock(targets, use, async (lock) => {
      expect(await holders()).toEqual([lock.token, lock.token])
      return lock.token
    })
    expect(token).toMatch(/^[0-9a-f]{32}$/)
    expect(await holders()).toEqual([undefined, undefined])
  })

  test('reports the first failure, and releases what it can', async () => {
    const failing = withLock(targets, use, async ({ token }) => {
      await releaseLock(at(0).machine, placeOf(at(0)), token)
      throw new Error('the work failed')
    })
    await expect(failing).rejects.toThrow('the work failed')
    expect(await holders()).toEqual([undefined, undefined])
  })

  test('joins what a davit-lock of this run holds, and leaves it', async () => {
    await acquireLocks(targets, termsOf('recorded'))
    await leaveRecord('recorded')
    expect(await withLock(targets, use, async ({ token }) => token)).toBe('recorded')
    expect(await holders()).toEqual(['recorded', 'recorded'])
  })

  test('joins what the shell that it comes from has locked', async () => {
    await acquireLocks(targets, termsOf('recorded'))
    await leaveRecord('recorded', ownerOf(here, 'parent'))
    expect(await withLock(targets, use, async ({ token }) => token)).toBe('recorded')
  })

  test('does not join what another terminal or script of the same user has locked', async () => {
    const other = spawn('sleep', ['60'])
    try {
      const stat = readFileSync(`/proc/${other.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      const theirs = { ...owner, holder: { ...owner.holder, pid: other.pid ?? 0, startTime: Number(stat[19]) } }
      await acquireLocks(targets, { ...termsOf('theirs'), owner: theirs })
      await leaveRecord('theirs', theirs)
      const refused = withLock(targets, use, async () => {})
      await expect(refused).rejects.toMatchObject({
        code: 'locked',
        exitStatus: 75,
        hint: expect.stringContaining("'davit-unlock -p default --id theirs MANIFEST' releases it"),
      })
      // Targets that it has not locked are free for everybody.
      await releaseLock(at(0).machine, placeOf(at(0)), 'theirs')
      expect(await withLock([at(0)], use, async ({ token }) => token)).toMatch(/^[0-9a-f]{32}$/)
      expect(await holders()).toEqual([undefined, 'theirs'])
    } finally {
      other.kill()
    }
  })

  test('joins what is locked under a name that a machine had before, and leaves it', async () => {
    const [first, second] = [at(0), at(1)]
    const former = { name: 'old' as TargetName, machine: first.machine }
    await acquireLocks([...targets, former], termsOf('recorded'))
    const renamed = [{ name: 'old', at: 't1' }]
    await writeLockRecord(place, {
      token: 'recorded',
      owner,
      processGroup: 1,
      manifest: '',
      targets: ['t1', 't2'],
      renamed,
    })
    await withLock(targets, use, async (lock) => {
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
    await leaveRecord('recorded')
    await takeAt(0, { token: 'recorded' })
    await expect(withLock(targets, use, async () => {})).rejects.toMatchObject({
      code: 'lock-lost',
      message: expect.stringContaining("'t2'"),
    })
    expect(await holders()).toEqual(['recorded', undefined])
  })

  test.each([
    ['whose owner is dead', undefined],
    ['that nobody can read', '{"token": 1}'],
    ['that was cut off', '{"tok'],
  ])('takes the lock itself where there is a record %s', async (_, text) => {
    await leaveRecord('recorded', dead)
    if (text !== undefined) writeFileSync(join(place, 'lock.json'), text)
    expect(await withLock(targets, use, async ({ token }) => token)).toMatch(/^[0-9a-f]{32}$/)
  })

  test('takes the lock of more targets in the middle of the work', async () => {
    const [first, second] = [at(0), at(1)]
    await withLock([first], use, async (lock) => {
      expect(await holders()).toEqual([lock.token, undefined])
      await lock.extend([second], async (all) => {
        expect(all.token).toBe(lock.token)
        expect(await holders()).toEqual([lock.token, lock.token])
      })
      expect(await holders()).toEqual([lock.token, undefined])
    })
    expect(await holders()).toEqual([undefined, undefined])
  })

  test('ignores every lock on request', async () => {
    await takeAt(0)
    expect(await withLock(targets, { ...use, locking: 'none' }, async ({ token }) => token)).toBe('-')
  })
})

describe('withLease()', () => {
  test('renews the locks while the work goes on', async () => {
    const terms = { ...termsOf('mine'), leaseSeconds: 1 }
    await acquireLocks(targets, terms)
    const holder = join(directory, 't1/targets/t1/lock/default/holder')
    const renewed = () => /renewed (\d+)/.exec(readFileSync(holder, 'utf8'))?.[1]
    const first = renewed()
    await withLease(targets, terms, (lost) =>
      vi.waitFor(() => {
        expect(renewed()).not.toBe(first)
        expect(lost.aborted).toBe(false)
      }, PATIENCE),
    )
  })

  test('tells when a lock was lost, even if nobody holds it any more', async () => {
    const terms = { ...termsOf('mine'), leaseSeconds: 1 }
    await acquireLocks(targets, terms)
    await releaseLock(at(1).machine, placeOf(at(1)), 'mine')
    const reason = await withLease(targets, terms, async (lost) => {
      await vi.waitFor(() => expect(lost.aborted).toBe(true), PATIENCE)
      return lost.reason as unknown
    })
    expect(reason).toMatchObject({ code: 'lock-lost', message: expect.stringContaining("target 't2'") })
    expect(await holders()).toEqual(['mine', undefined])
  })
})

describe('services', () => {
  const service: ManifestService = {
    name: 'web' as ServiceName,
    pkg: '/store/00000000000000000000000000000000-web' as StorePath,
    type: 'module',
    dependsOn: [],
    connectsTo: [],
    providesContainers: new Map(),
  }
  /** A module that records its calls, and refuses `lock` while there is a file `busy`. */
  const activate = async (index: number, key = 'key') => {
    const file = join(directory, `module${index}`)
    const script = `echo "$1" >>"$0.asked"; [ "$1" != lock ] || [ ! -e '${directory}/busy' ] || { echo I am busy; exit 1; }`
    writeFileSync(file, `#!/bin/sh\n${script}\n`)
    chmodSync(file, 0o755)
    await performActivity(at(index).machine, {
      profile,
      token: '-',
      activity: 'activate',
      mapping: { target: at(index).name, service: key as ServiceKey, container: 'c' as ContainerName },
      definition: { service, module: file, properties: new Map() },
    })
  }
  test('that lie under a name that a machine had before are found', async () => {
    await Promise.all([activate(0), activate(1)])
    const [first, second] = [at(0), at(1)]
    expect(await formerTargets(targets, profile)).toEqual([])
    const now = [{ ...first, name: 'new' as TargetName }, { ...first, name: 'beside' as TargetName }, second]
    expect(await formerTargets(now, profile)).toEqual([{ name: 't1', at: 'new', machine: first.machine }])
  })

  const asked = (index: number) => readFileSync(join(directory, `module${index}.asked`), 'utf8')

  test('are all asked, and unlocked again when one refuses', async () => {
    await Promise.all([activate(0), activate(1)])
    const terms = termsOf('mine')
    await acquireLocks(targets, terms)
    await lockServices(targets, terms)
    writeFileSync(join(directory, 'busy'), '')
    const refused = lockServices(targets, terms)
    await expect(refused).rejects.toMatchObject({
      code: 'lock-refused',
      exitStatus: 1,
      message: "'web' on 't1', 'web' on 't2' cannot be changed now",
      hint: expect.not.stringContaining('--no-lock'),
      cause: {
        message: [1, 2].map((n) => `'web' on 't${n}': its module ended with status 1: I am busy`).join('\n'),
      },
    })
    await leaveRecord('mine')
    await endDeployment(targets, { ...terms, place })
    expect(asked(0)).toBe('activate\nlock\nlock\nunlock\n')
    expect(asked(1)).toBe('activate\nlock\nlock\nunlock\n')
    expect(await holders()).toEqual([undefined, undefined])
    expect(await readLockRecord(place)).toBeUndefined()
  })

  test('are asked for activities that their module declares, and no process is started for others', async () => {
    await Promise.all([activate(0), activate(1)])
    writeFileSync(join(directory, 'module0.activities'), 'activate\nunlock\n')
    writeFileSync(join(directory, 'module1.activities'), 'activate\n')
    const terms = termsOf('mine')
    await acquireLocks(targets, terms)
    await lockServices(targets, terms)
    await unlockServices(targets, terms)
    expect([asked(0), asked(1)]).toEqual(['activate\nunlock\n', 'activate\n'])
    const logs = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.(un)?lock$/.test(name),
    )
    expect(logs).toEqual([expect.stringMatching(/t1\/log\/.*key\.unlock$/)])
  })

  test('are asked at the same time if their target has enough cores', async () => {
    await activate(0, 'one')
    await activate(0, 'two')
    const both = `until [ "$(grep -c lock "$0.asked")" = 2 ] || [ ! -e '${directory}' ]; do sleep 0.05; done`
    writeFileSync(join(directory, 'module0'), `#!/bin/sh\necho "$1" >>"$0.asked"\n${both}\n`)
    const terms = { ...termsOf('mine'), timeoutSeconds: 50 }
    await acquireLocks(targets, terms)
    await lockServices(targets, terms)
    expect(asked(0)).toBe('activate\nactivate\nlock\nlock\n')
  })

  test('do not keep endDeployment() from releasing the locks, nor do locks that are gone', async () => {
    await activate(0)
    await acquireLocks(targets, termsOf('mine'))
    await leaveRecord('mine')
    await releaseLock(at(0).machine, placeOf(at(0)), 'mine')
    const ending = endDeployment(targets, { ...termsOf('mine'), place })
    await expect(ending).rejects.toMatchObject({ code: 'not-locked', message: expect.stringContaining("target 't") })
    expect(await holders()).toEqual([undefined, undefined])
    expect(existsSync(join(place, 'lock.json'))).toBe(false)
  })

  test('endDeployment() leaves the record of a later lock', async () => {
    await acquireLocks(targets, termsOf('mine'))
    await leaveRecord('later')
    await endDeployment(targets, { ...termsOf('mine'), place })
    expect(await readLockRecord(place)).toMatchObject({ token: 'later' })
  })
})
