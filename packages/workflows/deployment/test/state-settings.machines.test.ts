import { writeFileSync } from 'node:fs'

import type { Manifest, PropertyValue } from '@davit/documents'
import { openSecrets } from '@davit/secrets'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { StatefulMachines } from './state-scene.ts'

let machines: StatefulMachines
beforeEach(async () => {
  machines = await StatefulMachines.open()
})
afterEach(() => machines.close())

/** Variables that are secrets from now on. */
function setSecrets(environment: Readonly<Record<string, string>>): void {
  machines.secrets = openSecrets({ environment, workingDirectory: machines.directory })
  machines.secrets.trust(['OLD', 'NEW'].map((env) => ({ env })))
}

const secret = (env: string): PropertyValue => new Map([['secret', new Map([['env', env]])]])

function deploy(next: Manifest, previous?: Manifest) {
  machines.calls()
  return machines.deploy(next, machines.targets, { ...machines.planned(), previous })
}

describe('settings with which state is saved and restored', () => {
  test('of a service without a record are resolved before anything is begun', async () => {
    setSecrets({ OLD: 'old password', NEW: 'new password' })
    await deploy(machines.systemOn('t1', { password: secret('OLD') }))
    const previous = machines.systemOn('t1', { password: secret('NEW') })
    await machines.deployUntil('snapshot-db-t1', machines.systemOn('t2'), previous)
    machines.calls()
    setSecrets({ NEW: 'new password' })
    await expect(deploy(machines.systemOn('t2'), previous)).rejects.toMatchObject({
      code: 'secret-unresolved',
      diagnostics: [{ message: expect.stringContaining("from variable 'OLD': the variable is not set") as string }],
    })
    expect(machines.calls()).toEqual([])
    setSecrets({ OLD: 'old password' })
    expect(await deploy(machines.systemOn('t2'), previous)).toMatchObject({ kind: 'completed' })
    expect(machines.passwords()).toContain('snapshot on t1: old password')
  })

  test('of a service that is active already are those with which it was activated', async () => {
    setSecrets({ OLD: 'old password', NEW: 'new password' })
    const before = machines.systemOn('t1')
    await deploy(before)
    writeFileSync(machines.state('t1'), 'rows')
    await machines.deployUntil('restore-db-t2', machines.systemOn('t2', { password: secret('OLD') }), before)
    const next = machines.systemOn('t2', { password: secret('NEW') })
    setSecrets({ NEW: 'new password' })
    await expect(deploy(next, before)).rejects.toMatchObject({ code: 'secret-unresolved' })
    expect(machines.calls()).toEqual([])
    setSecrets({ OLD: 'old password', NEW: 'new password' })
    expect(await deploy(next, before)).toMatchObject({ kind: 'completed' })
    expect(machines.read('t2')).toBe('rows')
    expect(machines.passwords().slice(-2)).toEqual(['snapshot on t2: old password', 'restore on t2: old password'])
    expect(machines.passwords().join()).not.toContain('new password')
  })

  test('of a service that is activated again are the new ones', async () => {
    setSecrets({ OLD: 'old password', NEW: 'new password' })
    const before = machines.systemOn('t1')
    await deploy(before)
    writeFileSync(machines.state('t1'), 'rows')
    await machines.deployUntil('restore-db-t2', machines.systemOn('t2', { password: secret('OLD') }), before)
    const next = machines.systemOn('t2', { password: secret('NEW') })
    const terms = { ...machines.planned(), previous: before, changed: 'restart' } as const
    expect(await machines.deploy(next, machines.targets, terms)).toMatchObject({ kind: 'completed' })
    expect(machines.read('t2')).toBe('rows')
    expect(machines.passwords().slice(-4)).toEqual([
      'deactivate on t2: old password',
      'activate on t2: new password',
      'snapshot on t2: new password',
      'restore on t2: new password',
    ])
  })
})
