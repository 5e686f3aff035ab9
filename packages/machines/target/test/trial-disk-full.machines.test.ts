import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { shellConnection } from '@davit/connection/testing'
import type { ProfileName, ServiceKey, ServiceMapping, TargetName } from '@davit/documents'
import { removeTree } from '@davit/files'
import { installedShells } from '@davit/testing/shells'
import { noSmallDisk, smallDisk, type SmallDisk } from '@davit/testing/small-disk'
import { until } from '@davit/testing/wait'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import {
  acquireLock,
  beginTrial,
  confirmTrial,
  type Machine,
  observeMappings,
  openMachine,
  performActivity,
  revertTrial,
  type Trial,
  trialState,
} from '../src/target.ts'
import { SERVICE } from './scene.ts'

const profile = 'default' as ProfileName
const trial: Trial = { target: 't1', profile, id: 'trial-1' }

describe.skipIf(noSmallDisk !== undefined).each(installedShells())('a trial on a full disk, with $name', (shell) => {
  let disk: SmallDisk
  let aside: string
  let machine: Machine
  let watched: Machine<'trial'>
  const at = (...names: string[]) => join(disk.directory, ...names)
  const trials = () => readdirSync(at('state/targets/t1/trials'))

  beforeEach(async () => {
    aside = mkdtempSync(join(tmpdir(), 'davit-trial-disk-'))
    disk = smallDisk(2 * 1024 * 1024)
    const connection = shellConnection(shell, at('state'))
    machine = await openMachine(async () => connection)
    watched = await openMachine(async () => connection, { role: 'trial' })
    const lock = { token: 'token', owner: 'me', leaseSeconds: 600 }
    await acquireLock(machine, { target: 't1' as TargetName, profile }, lock)
    writeFileSync(join(aside, 'module'), `#!/bin/sh\necho "$1 $DAVIT_KEY" >>'${aside}/calls'\n`, { mode: 0o755 })
  })
  afterEach(() => {
    machine.close()
    watched.close()
    disk.remove()
    removeTree(aside)
  })

  const mappingOf = (key: string) => ({ target: 't1', service: key, container: 'process' }) as ServiceMapping
  const perform = async (activity: 'activate' | 'deactivate', key: string) => {
    const definition = { service: SERVICE, module: join(aside, 'module'), properties: new Map() }
    const mapping = { ...mappingOf(key), service: key as ServiceKey }
    expect(await performActivity(machine, { profile, token: 'token', activity, mapping, definition })).toEqual({
      kind: 'succeeded',
    })
  }
  const begin = (...keys: readonly string[]) => {
    const steps = (['stop', 'start'] as const).flatMap((step) =>
      keys.map((key) => ({ step, mapping: mappingOf(key), definition: undefined })),
    )
    return beginTrial(watched, trial, { token: 'token', seconds: 1000, limitSeconds: 600, steps })
  }
  const active = async () =>
    (await observeMappings(machine, profile)).map(({ mapping, state }) => [mapping.service, state])
  const calls = () => readFileSync(join(aside, 'calls'), 'utf8').split('\n').slice(0, -1)
  const end = async () => {
    await until(async () => expect((await trialState(watched, trial)).kind).toBe('ended'))
    return trialState(watched, trial)
  }

  test('goes back all the same: what was stopped is started again', async () => {
    const keys = ['a', 'b', 'c', 'd']
    for (const key of keys) await perform('activate', key)
    await begin(...keys)
    for (const key of keys) await perform('deactivate', key)
    disk.fill()
    await revertTrial(watched, trial)
    expect(await trialState(watched, trial)).toEqual({ kind: 'back' })
    expect(await end()).toEqual({ kind: 'ended', failed: [] })
    expect(await active()).toEqual(keys.map((key) => [key, 'active']))
    expect(calls().slice(-4)).toEqual(keys.map((key) => `activate ${key}`))
  })

  test.runIf(shell.inDepth)(
    'is not mistaken for one that was confirmed, if how it ended cannot be written yet',
    async () => {
      await begin('none')
      const reserve = at('state/targets/t1/trials/default/reserve')
      // As if others had taken that space.
      writeFileSync(reserve, '')
      disk.fill()
      await revertTrial(watched, trial)
      await until(() => expect(existsSync(reserve)).toBe(false))
      expect(await trialState(watched, trial)).toEqual({ kind: 'back' })
      disk.free()
      expect(await end()).toEqual({ kind: 'ended', failed: [] })
      const confirming = await openMachine(async () => shellConnection(shell, at('state')), { role: 'confirm' })
      expect(await confirmTrial(confirming, trial)).toBe(false)
      confirming.close()
    },
  )

  test.runIf(shell.inDepth)('does not begin, and leaves nothing behind', async () => {
    await perform('activate', 'a')
    for (const left of [0, 4096, 16_384, 40_960]) {
      disk.fill(left)
      await expect(begin('a')).rejects.toMatchObject({ code: 'cannot-create' })
      expect(existsSync(at('state/targets/t1/trials')) ? trials() : []).toEqual([])
    }
  })
})
