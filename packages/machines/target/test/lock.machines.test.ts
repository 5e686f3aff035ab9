import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { removeTree } from '@davit/files'
import type { ProfileName, TargetName } from '@davit/documents'
import { shellConnection } from '@davit/connection/testing'
import { installedShells } from '@davit/testing/shells'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { acquireLock, lockHolder, type Machine, openMachine, releaseLock, renewLock } from '../src/target.ts'

const place = { target: 't1' as TargetName, profile: 'default' as ProfileName }
const mine = { token: 'mine', owner: 'me', leaseSeconds: 60 }
const yours = { token: 'yours', owner: 'you', leaseSeconds: 60 }
const held = (token: string) => ({ kind: 'held', holder: { token } })

describe.each(installedShells())('a lock on a machine with $name', (shell) => {
  let directory: string
  let machine: Machine
  let holder: string

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'davit-machine-lock-'))
    holder = join(directory, 'state/targets/t1/lock/default/holder')
    mkdirSync(join(directory, 'bin'))
    const path = `${join(directory, 'bin')}:${shell.path}`
    const connection = shellConnection({ ...shell, path }, join(directory, 'state'))
    machine = await openMachine(async () => connection)
  })
  afterEach(() => {
    machine.close()
    removeTree(directory)
  })

  /** The shell of busybox does not call another `date`. */
  const asksNobody = shell.name === 'busybox'
  /** The clock of the machine, as its `date` prints it. */
  const setClock = (text: string | number) => {
    const date = join(directory, 'bin/date')
    writeFileSync(date, `#!/bin/sh\necho '${text}'\n`)
    chmodSync(date, 0o755)
  }
  const edit = (pattern: RegExp, replacement: string) =>
    writeFileSync(holder, readFileSync(holder, 'utf8').replace(pattern, replacement))

  test.runIf(shell.inDepth)('is renewed only if it was never lost', async () => {
    await expect(renewLock(machine, place, mine)).rejects.toMatchObject({ code: 'lock-lost' })
    await acquireLock(machine, place, mine)
    await renewLock(machine, place, mine)
    await releaseLock(machine, place, { token: 'mine' })
    await expect(renewLock(machine, place, mine)).rejects.toMatchObject({ code: 'lock-lost' })
    expect(await lockHolder(machine, place)).toBeUndefined()
  })

  test('is held by one at a time', async () => {
    const atHome = { ...mine, owner: 'me {"at": "home"}' }
    expect(await acquireLock(machine, place, atHome)).toEqual({ kind: 'acquired', number: 1 })
    expect(await acquireLock(machine, place, atHome)).toEqual({ kind: 'acquired', number: 1 })
    expect(await acquireLock(machine, place, yours)).toMatchObject({
      kind: 'held',
      holder: { token: 'mine', owner: atHome.owner },
    })
    expect(await acquireLock(machine, place, { ...yours, deadToken: 'mine' })).toEqual({ kind: 'acquired', number: 2 })
    await expect(releaseLock(machine, place, { token: 'mine' })).rejects.toMatchObject({ code: 'lock-lost' })
    await releaseLock(machine, place, { token: 'yours' })
    await expect(releaseLock(machine, place, { token: 'yours' })).rejects.toMatchObject({ code: 'not-locked' })
  })

  test.runIf(shell.inDepth)('is taken over when its lease is over', async () => {
    await acquireLock(machine, place, mine)
    edit(/renewed \d+/, 'renewed 1000')
    expect(await acquireLock(machine, place, yours)).toEqual({
      kind: 'acquired',
      number: 2,
    })
  })

  test.skipIf(asksNobody)(
    'taken while the clock was ahead ends its lease after the clock is right again, unless it is renewed',
    async () => {
      setClock(4_000_000_000)
      await acquireLock(machine, place, mine)
      setClock(1_700_000_000)
      expect(await acquireLock(machine, place, yours)).toMatchObject(held('mine'))
      setClock(1_700_000_060)
      expect(await acquireLock(machine, place, yours)).toMatchObject(held('mine'))
      await renewLock(machine, place, mine)
      setClock(1_700_000_061)
      expect(await acquireLock(machine, place, yours)).toMatchObject(held('mine'))
      setClock(1_700_000_121)
      expect(await acquireLock(machine, place, yours)).toMatchObject({ kind: 'acquired', number: 2 })
    },
  )

  test.skipIf(asksNobody)('is taken over when the clock leaps ahead, and its holder is refused', async () => {
    setClock(1_700_000_000)
    await acquireLock(machine, place, mine)
    setClock(1_800_000_000)
    expect(await acquireLock(machine, place, yours)).toMatchObject({ kind: 'acquired' })
    await expect(renewLock(machine, place, mine)).rejects.toMatchObject({ code: 'lock-lost' })
    await expect(releaseLock(machine, place, { token: 'mine' })).rejects.toMatchObject({ code: 'lock-lost' })
  })

  test.runIf(shell.inDepth && !asksNobody).each(['', 'Sat Nov 21 2026', '1.5', '-5', '9'.repeat(30), '08'])(
    'cannot be taken while the clock prints %j',
    async (time) => {
      setClock(time)
      await expect(acquireLock(machine, place, mine)).rejects.toMatchObject({ code: 'no-clock' })
      expect(existsSync(holder)).toBe(false)
    },
  )

  test.runIf(shell.inDepth).each([
    ['without a time', /^renewed .*$/m, 'renewed soon'],
    ['with a time that is a program', /^renewed .*$/m, 'renewed $(touch x)'],
    ['with a time of thirty digits', /^renewed .*$/m, `renewed ${'9'.repeat(30)}`],
    ['of which nothing is left', /[^]*/, ''],
    ['that is rubbish', /[^]*/, 'rubbish\n\\0033[2J $(touch x)\n'],
    ['without a lease', /^lease .*$/m, 'lease -1'],
  ])('of a holder %s stays held until its lease is over', async (_, pattern, replacement) => {
    await acquireLock(machine, place, mine)
    edit(pattern, replacement)
    const known = readFileSync(holder, 'utf8').includes('token mine') ? 'mine' : 'unreadable'
    expect(await acquireLock(machine, place, yours)).toMatchObject(held(known))
    edit(/^renewed .*$/m, 'renewed 1000')
    expect(await acquireLock(machine, place, yours)).toMatchObject({ kind: 'acquired' })
  })

  test('of a holder with an impossible token is released under the reported name', async () => {
    await acquireLock(machine, place, mine)
    edit(/^token .*$/m, 'token a b;c')
    expect(await lockHolder(machine, place)).toMatchObject({ token: 'unreadable', owner: 'me' })
    await expect(releaseLock(machine, place, { token: 'mine' })).rejects.toMatchObject({ code: 'lock-lost' })
    await releaseLock(machine, place, { token: 'unreadable' })
    expect(await lockHolder(machine, place)).toBeUndefined()
  })

  test('gets a higher number each time, even if the old one is garbled', async () => {
    const number = join(directory, 'state/targets/t1/lock/default/number')
    await acquireLock(machine, place, mine)
    writeFileSync(number, 'rubbish\n')
    expect(await acquireLock(machine, place, { ...yours, deadToken: 'mine' })).toMatchObject({ number: 2 })
  })
})
