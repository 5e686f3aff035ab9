import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Shell } from '@davit/testing/shells'
import { describe, expect, test } from 'vitest'

import { noPrivateAccounts, otherComponent, PrivateAccounts } from './private-accounts.ts'
import { installedShells, scratchPath } from './scene.ts'
import { Stateful } from './stateful.ts'
import { plainScript, serviceScript } from './sysvinit.ts'

const shells = installedShells()
const inDepth = shells.filter((shell) => shell.inDepth)
const HASH = '$6$salt$IxDD3jeSOb5eB1CX5LBsqZFVkJdido3OUILO5Ifz5iwMuTS4XMS130MTSuDDl3aCI6WouIL9AjRbLCelDCy.g.'

describe.skipIf(noPrivateAccounts).each(shells)('accounts of components under $name', { concurrent: true }, (shell) => {
  test('are made before the start, and removed after the end', async () => {
    const home = join(scratchPath({}), 'home')
    const { scene, accounts } = await prepared(shell, {
      'users/davit-web': `# a comment\n  uid=23456 # another\ngroup="davit-www"\ndescription='Web "ü" $(x)'\nshell=/bin/false
homeDir=${home}\ncreateHomeDir=1\npassword='${HASH}'\n`,
      'groups/davit-www': 'gid=23457',
      'groups/davit-more': '',
    })
    await accounts.succeed('activate')
    await accounts.succeed('activate')
    expect(accounts.find('passwd', 'davit-web')).toEqual([
      'davit-web',
      'x',
      '23456',
      '23457',
      'Web "ü" $(x)',
      home,
      '/bin/false',
    ])
    expect(accounts.find('group', 'davit-www')?.slice(2)).toEqual(['23457', ''])
    expect(accounts.find('group', 'davit-more')).toBeDefined()
    expect(accounts.find('shadow', 'davit-web')?.[1]).toBe(HASH)
    expect([statSync(home).uid, statSync(home).gid]).toEqual([23456, 23457])
    expect(statSync(`/proc/${scene.pidIn('web.pid')}`).uid).toBe(23456)
    await accounts.succeed('deactivate')
    await accounts.succeed('deactivate')
    expectNone(accounts, scene)
  })

  test('stay until nobody needs them any more', async () => {
    const { scene, accounts } = await prepared(shell, { 'users/davit-web': '', 'groups/davit-web': '' })
    const other = otherComponent(scene, 'other', {
      'etc/rc.d/rc3.d/S1other': plainScript('other'),
      'dysnomia-support/users/davit-web': '',
      'dysnomia-support/groups/davit-web': '',
    })
    const third = otherComponent(scene, 'third', {
      'etc/rc.d/rc3.d/S1third': plainScript('third'),
      'dysnomia-support/groups/davit-web': '',
    })
    await accounts.succeed('activate')
    await accounts.succeed('activate', { component: other, key: 'key2' })
    await accounts.succeed('activate', { component: third, key: 'key3' })
    const number = accounts.find('group', 'davit-web')?.[2]
    await accounts.succeed('deactivate')
    expect(accounts.find('passwd', 'davit-web')).toBeDefined()
    await accounts.succeed('deactivate', { component: other, key: 'key2' })
    expect(accounts.find('passwd', 'davit-web')).toBeUndefined()
    expect(accounts.find('group', 'davit-web')?.[2]).toBe(number)
    await accounts.succeed('deactivate', { component: third, key: 'key3' })
    expectNone(accounts, scene)
  })
})

describe.skipIf(noPrivateAccounts).each(inDepth)(
  'accounts of components in depth under $name',
  { concurrent: true },
  (shell) => {
    test('that were there before stay as they are', async () => {
      const { scene, accounts } = await prepared(shell, {
        'users/davit-web': 'uid=23456',
        'groups/davit-www': 'gid=23456',
      })
      accounts.add('passwd', 'davit-web:x:2222:2222::/home:/bin/sh')
      accounts.add('group', 'davit-www:x:2222:')
      const before = accounts.read('passwd') + accounts.read('group')
      const { status, stderr } = await accounts.call('activate')
      expect([status, stderr]).toEqual([
        0,
        expect.stringMatching(/has gid 2222 instead of 23456\n.*has uid 2222 instead of 23456/),
      ])
      await accounts.succeed('deactivate')
      expect(accounts.read('passwd') + accounts.read('group')).toBe(before)
      expectNone(accounts, scene, [])
    })

    test('are removed when the start fails', async () => {
      const { scene, accounts } = await prepared(shell, { 'users/davit-web': '' })
      scene.write(join(scene.component, 'etc/rc.d/rc3.d/S2broken'), '#!/bin/sh\n[ "$1" = stop ]\n')
      expect(await accounts.call('activate')).toMatchObject({ status: 1 })
      expectNone(accounts, scene)
    })

    test('are removed when another one cannot be made', async () => {
      const { scene, accounts } = await prepared(shell, {
        'users/davit-web': '',
        'users/davit-wrong': 'group=davit-missing',
      })
      const { status, stderr } = await accounts.call('activate')
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(/davit-missing[^]*cannot make the user of '.*users\/davit-wrong'/),
      ])
      expectNone(accounts, scene)
    })

    test.each([
      ['uid=$(touch "$SCENE/evaluated"; id -u)', /line 1: the value of 'uid' is not quoted properly/],
      ['description="`touch evaluated`"', /would have to be evaluated/],
      ['description=$HOME', /would have to be evaluated/],
      ['\ngid=3', /line 2: unknown key 'gid', expected one of: uid /],
      ['description=two words', /text after the value of 'description'/],
      ["description='open", /not quoted properly/],
      ['touch "$SCENE/evaluated"', /expected KEY=VALUE/],
      ["description='a:b'", /contains a colon/],
      ['password=secret', /password is not a hash/],
      ['createHomeDir=1', /homeDir is not an absolute path/],
      ['uid=-1', /uid '-1' is not a number/],
    ])('are not made of a file with %j', async (text, message) => {
      const { scene, accounts } = await prepared(shell, { 'users/davit-web': text })
      const { status, stderr } = await accounts.call('activate')
      expect([status, stderr]).toEqual([1, expect.stringMatching(message)])
      expect(existsSync(join(scene.directory, 'evaluated'))).toBe(false)
      expectNone(accounts, scene)
    })

    test.each(['-x', 'a b', '$(x)', 'a:b', 'ü'])('are not named %j', async (name) => {
      const { scene, accounts } = await prepared(shell, { [`users/${name}`]: '' })
      const { status, stderr } = await accounts.call('activate')
      expect([status, stderr]).toEqual([1, expect.stringContaining(`'${name}' is not a name for an account`)])
      expectNone(accounts, scene)
    })

    test('are removed later if somebody is still at work', async () => {
      const { scene, accounts } = await prepared(shell, { 'users/davit-web': 'uid=23458' })
      scene.write(join(scene.component, 'etc/rc.d/rc3.d/S2keep'), serviceScript('keep', RUN_AS))
      await accounts.succeed('activate')
      const script = join(scene.component, 'etc/rc.d/rc3.d/S2keep')
      scene.write(script, '#!/bin/sh\n')
      const { status, stderr } = await accounts.call('deactivate', { properties: { timeout: '0' } })
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(/cannot remove the user 'davit-web': .*currently used/),
      ])
      process.kill(scene.pidIn('keep.pid'))
      await accounts.succeed('deactivate')
      expectNone(accounts, scene)
    })

    test.each([
      ['before', 'groupadd'],
      ['after', 'groupadd'],
      ['before', 'useradd'],
      ['after', 'useradd'],
      ['before', 'userdel'],
      ['after', 'userdel'],
      ['before', 'groupdel'],
      ['after', 'groupdel'],
    ] as const)('are counted also if everything is killed %s %s', async (when, program) => {
      const { scene, accounts } = await prepared(shell, { 'users/davit-web': '', 'groups/davit-more': '' })
      if (program.endsWith('del')) await accounts.succeed('activate')
      const PATH = `${scratchPath({ [program]: KILLING[when] })}:${shell.path}`
      const activity = program.endsWith('del') ? 'deactivate' : 'activate'
      expect(await accounts.call(activity, { properties: { PATH } })).toMatchObject({ status: null })
      await accounts.succeed(when === 'before' ? 'activate' : 'deactivate')
      expect(accounts.find('passwd', 'davit-web') === undefined).toBe(when === 'after')
      await accounts.succeed('deactivate')
      expectNone(accounts, scene)
    })

    test('keep their passwords from the argument lists of programs', async () => {
      const { scene, accounts } = await prepared(shell, { 'users/davit-web': `password='${HASH}'` })
      const log = '#!/bin/sh\nprintf "%s\\n" "$0" "$@" >>"$SCENE/arguments"\nexec "/usr/sbin/${0##*/}" "$@"\n'
      const path = scratchPath({ useradd: log, chpasswd: log })
      const PATH = `${path}:${shell.path}`
      expect(await accounts.call('activate', { properties: { PATH } })).toMatchObject({ status: 0 })
      expect(scene.read('arguments')).toMatch(/useradd[^]*chpasswd\n-e\n/)
      expect(scene.read('arguments')).not.toContain('salt')
      await accounts.succeed('deactivate')
    })
  },
)

/** Kills the module and everything that it runs, before or after what a program does. */
const KILLING = {
  before: '#!/bin/sh\nkill -KILL 0\n',
  after: '#!/bin/sh\n"/usr/sbin/${0##*/}" "$@"\nkill -KILL 0\n',
}

const RUN_AS = '/usr/bin/setpriv --reuid davit-web --regid 0 --clear-groups /bin/sleep 1000'

async function prepared(shell: Shell, support: Readonly<Record<string, string>>) {
  const files = Object.entries(support).map(([path, text]) => [`dysnomia-support/${path}`, text])
  const scene = new Stateful(shell, 'sysvinit-script', {
    files: {
      ...Object.fromEntries(files),
      'etc/rc.d/rc3.d/S1web': serviceScript('web', support['users/davit-web'] === undefined ? 'sleep 1000' : RUN_AS),
    },
  })
  const accounts = await PrivateAccounts.of(scene)
  return { scene, accounts }
}

function expectNone(accounts: PrivateAccounts, scene: Stateful, files = ['passwd', 'group', 'shadow']): void {
  for (const file of files) expect(accounts.read(file)).not.toContain('davit-')
  expect(existsSync(join(scene.directory, 'machine/accounts'))).toBe(false)
}
