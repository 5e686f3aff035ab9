import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type ConnectionPool, connectionPool, type Holder, holdConnections, HOLDER_VARIABLE } from '@davit/connection'
import { DavitError, type ReportEvent } from '@davit/diagnostics'
import type { ProfileName, StorePath, TargetName } from '@davit/documents'
import { sampleOf } from '@davit/testing/effort'
import { freePort } from '@davit/testing/free-port'
import { sshdMissing, startSshd, type TestSshd } from '@davit/testing/sshd'
import { until } from '@davit/testing/wait'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import {
  acquireLock,
  lockHolder,
  type Machine,
  observeMappings,
  openMachine,
  performActivity,
  releaseLock,
  renewLock,
  setProfile,
} from '../src/target.ts'

const profile = 'default' as ProfileName
const place = { target: 't1' as TargetName, profile }
const mine = { token: 'mine', owner: 'me', leaseSeconds: 600 }

describe.skipIf(sshdMissing() !== undefined).each([
  ['its own connections', false],
  ['those of davit-connect', true],
])('while sshd is restarted, over %s', (_, isHeld) => {
  let directory: string
  let sshd: TestSshd
  let isUp: boolean
  let holder: Holder | undefined
  let pool: ConnectionPool
  let machine: Machine
  let reported: ReportEvent[]

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'davit-reconnect-'))
    sshd = await startSshd({ lines: [`SetEnv DAVIT_STATE_DIR=${directory}/state`] })
    isUp = true
  })
  afterAll(async () => {
    await sshd?.stop()
    rmSync(directory, { recursive: true, force: true })
  })
  beforeEach(async () => {
    reported = []
    holder = isHeld ? await holdConnections({ environment: {} }) : undefined
    const held = holder === undefined ? {} : { [HOLDER_VARIABLE]: holder.socket }
    pool = connectionPool({ environment: { ...sshd.environment, ...held } })
    machine = await open()
  })
  afterEach(async () => {
    await pool.close()
    await holder?.close()
    if (!isUp) await up()
    rmSync(join(directory, 'state'), { recursive: true, force: true })
  })

  const open = (options: object = {}) => {
    const report = (event: ReportEvent) => void reported.push(event)
    return openMachine(() => pool.connect([{ kind: 'ssh', address: `root@${sshd.address}` }]), { report, ...options })
  }
  const down = async () => {
    await sshd.down()
    isUp = false
  }
  const up = async () => {
    await sshd.up()
    isUp = true
  }
  const said = () => reported.map((event) => ('message' in event ? `${event.kind}: ${event.message}` : event.kind))
  const LOST = expect.stringMatching(/^warning: lost the connection to 'root@127\.0\.0\.1:\d+': retrying for/)
  const isWaiting = () => until(() => expect(said()).toEqual([LOST]))

  // All requests go the same way; which connection it is makes no difference to them.
  const requests: readonly (readonly [string, () => Promise<unknown>, unknown])[] = [
    [
      'the lock is taken',
      () => acquireLock(machine, place, { ...mine, token: 'new' }),
      expect.objectContaining({ kind: 'held' }),
    ],
    ['the lock is renewed', () => renewLock(machine, place, mine), undefined],
    ['the holder of the lock is read', () => lockHolder(machine, place), expect.objectContaining({ token: 'mine' })],
    ['the records are read', () => observeMappings(machine, profile), []],
    ['the profile is set', () => set(), { generation: 1 }],
    ['the lock is released', () => releaseLock(machine, place, { token: 'mine' }), undefined],
    ['a script is started', async () => (await machine.run('exit 7')).exit, 7],
  ]

  test.each(isHeld ? sampleOf(requests, 2) : sampleOf(requests, 4))('%s all the same', async (_, work, expected) => {
    await acquireLock(machine, place, mine)
    await down()
    const working = work()
    await isWaiting()
    await up()
    expect(await working).toEqual(expected)
    expect(said()).toEqual([LOST, expect.stringMatching(/^note: reconnected to /)])
  })

  async function set() {
    const path = join(directory, 'store/00000000000000000000000000000000-profile') as StorePath
    const store = { kind: 'native', directory: join(directory, 'store') } as never
    await (
      await machine.run(`mkdir -p ${path}`)
    ).exit
    return setProfile(machine, { ...place, token: 'mine', path, store, generations: 'add' })
  }

  test('an activity goes on, and its outcome is returned', async () => {
    await acquireLock(machine, place, mine)
    const module = join(directory, 'module')
    const text = `#!/bin/sh\n: >'${directory}/begun'\nwhile [ ! -e '${directory}/go' ]; do sleep 0.05; done\n`
    writeFileSync(module, text, { mode: 0o755 })
    const pkg = '/store/00000000000000000000000000000000-web'
    const service = { name: 'web', pkg, type: 'process', dependsOn: [], connectsTo: [], providesContainers: new Map() }
    const mapping = { target: 't1', service: 'key', container: 'process' }
    const definition = { service, module, properties: new Map() }
    const request = { profile, token: 'mine', activity: 'activate', mapping, definition }
    const activity = performActivity(machine, request as never)
    await until(() => expect(existsSync(join(directory, 'begun'))).toBe(true))
    await down()
    await isWaiting()
    writeFileSync(join(directory, 'go'), '')
    await up()
    expect(await activity).toEqual({ kind: 'succeeded' })
  })

  test('an abort of the tool ends the waiting', async () => {
    const interruption = new AbortController()
    const interrupted = await open({ signal: interruption.signal })
    await down()
    const asking = lockHolder(interrupted, place)
    asking.catch(() => {})
    await isWaiting()
    interruption.abort(new DavitError('interrupted', 'interrupted'))
    await expect(asking).rejects.toMatchObject({ code: 'unreachable' })
    expect(said()).toEqual([LOST])
  })

  test('another host key is refused immediately', async () => {
    await down()
    await up()
    const other = `[127.0.0.1]:${sshd.port} ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n`
    const known = `[127.0.0.1]:${sshd.port} ${sshd.hostKey('ed25519')}\n`
    writeFileSync(sshd.knownHostsFile, other)
    try {
      await expect(lockHolder(machine, place)).rejects.toMatchObject({ code: 'host-key-changed', exitStatus: 77 })
    } finally {
      writeFileSync(sshd.knownHostsFile, known)
    }
    expect(said()).toEqual([])
  })

  test('a machine that stays away is waited for once', async () => {
    const impatient = await open({ answerSeconds: 1 })
    await down()
    await expect(lockHolder(impatient, place)).rejects.toMatchObject({ code: 'unreachable', exitStatus: 69 })
    await expect(lockHolder(impatient, place)).rejects.toMatchObject({ code: 'unreachable' })
    expect(said()).toEqual([LOST])
    await up()
    expect(await lockHolder(impatient, place)).toBe(undefined)
  })

  test('a machine that was never reached is not waited for', async () => {
    const address = `root@127.0.0.1:${await freePort()}`
    const report = (event: ReportEvent) => void reported.push(event)
    const opening = openMachine(() => pool.connect([{ kind: 'ssh', address }]), { report })
    await expect(opening).rejects.toMatchObject({ code: 'unreachable' })
    expect(said()).toEqual([])
    expect(readdirSync(directory)).not.toContain('state')
  })
})
