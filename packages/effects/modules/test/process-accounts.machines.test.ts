import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Shell } from '@davit/testing/shells'
import { describe, expect, test } from 'vitest'

import { noPrivateAccounts, otherComponent, PrivateAccounts } from './private-accounts.ts'
import { installedShells } from './scene.ts'
import { Stateful } from './stateful.ts'

const shells = installedShells()
const inDepth = shells.filter((shell) => shell.inDepth)
const RUN_AS = '#!/bin/sh\nexec /usr/bin/setpriv --reuid davit-web --regid davit-web --clear-groups /bin/sleep 1000\n'
const FILES = { 'bin/web': RUN_AS, 'dysnomia-support/users/davit-web': '', 'dysnomia-support/groups/davit-web': '' }

describe.skipIf(noPrivateAccounts).each(shells)('accounts of a process under $name', (shell) => {
  test('are made before the start, and removed after the end', async () => {
    const properties = { module: 'm', component: 'c', container: 'd', timeout: '7' }
    const { scene, accounts } = await prepared(shell, FILES, properties)
    await accounts.succeed('activate')
    await accounts.succeed('activate')
    const uid = Number(accounts.find('passwd', 'davit-web')?.[2])
    expect(statSync(`/proc/${scene.pid()}`).uid).toBe(uid)
    expect(readFileSync(`/proc/${scene.pid()}/environ`, 'utf8').split('\0')).toEqual(
      expect.arrayContaining(Object.entries(properties).map(([name, value]) => `${name}=${value}`)),
    )
    await accounts.succeed('deactivate')
    await accounts.succeed('deactivate')
    expectNone(accounts, scene)
  })

  test('stay as long as the state, of which they own the files', async () => {
    const { scene, accounts } = await prepared(shell, FILES, { stateOwner: 'davit-web:' })
    const stateDirectory = join(scene.directory, 'state')
    const call = async (activity: string, options = {}) => {
      const properties = { stateDirectory, DAVIT_SNAPSHOT: snapshot }
      expect(await accounts.call(activity, { properties, ...options })).toMatchObject({ status: 0, stderr: '' })
    }
    const snapshot = scene.make('snapshot')
    const owner = () => statSync(stateDirectory).uid
    const uid = () => Number(accounts.find('passwd', 'davit-web')?.[2])
    await call('activate')
    expect(owner()).toBe(uid())
    await call('deactivate')
    const next = { component: otherComponent(scene, 'next', FILES), key: 'key2' }
    await call('activate', next)
    await call('deactivate', next)
    expect(owner()).toBe(uid())
    await call('collect-garbage', next)
    expectNone(accounts, scene)
    accounts.add('passwd', 'somebody:x:34567:34567::/:/bin/sh')
    scene.make('snapshot/state')
    // Files are unpacked for them.
    await call('accounts')
    expect(uid()).toBeGreaterThan(0)
    await call('restore')
    expect(owner()).toBe(uid())
    await call('activate')
    await call('deactivate')
    await call('collect-garbage')
    expectNone(accounts, scene)
  })
})

describe.skipIf(noPrivateAccounts).each(inDepth)('accounts of a process in depth', (shell) => {
  test.each([
    ['the program fails', { ...FILES, 'bin/web': '#!/bin/sh\nexit 1\n' }, {}, 'ended with status 1'],
    ['the state cannot be made', FILES, { stateDirectory: '/proc/davit' }, 'cannot make stateDirectory'],
    ['one cannot be made', { ...FILES, 'dysnomia-support/users/davit-x': 'uid=x' }, {}, 'its accounts cannot be made'],
  ])('are removed when %s', async (_, files, properties, problem) => {
    const { scene, accounts } = await prepared(shell, files, properties)
    const { status, stderr } = await accounts.call('activate')
    expect([status, stderr]).toEqual([1, expect.stringContaining(problem)])
    expectNone(accounts, scene)
  })
})

async function prepared(
  shell: Shell,
  files: Readonly<Record<string, string>>,
  properties: Readonly<Record<string, string>>,
) {
  const scene = new Stateful(shell, 'process', { files, properties })
  return { scene, accounts: await PrivateAccounts.of(scene, 'process') }
}

function expectNone(accounts: PrivateAccounts, scene: Stateful): void {
  for (const file of ['passwd', 'group', 'shadow']) expect(accounts.read(file)).not.toContain('davit-')
  expect(existsSync(join(scene.directory, 'machine/accounts'))).toBe(false)
}
