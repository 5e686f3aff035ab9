import { chownSync, existsSync, lchownSync, lstatSync, readdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

import { fileset, targetOf, write } from './fileset.ts'
import { noPrivateAccounts, PrivateAccounts } from './private-accounts.ts'
import { installedShells } from './scene.ts'
import { Stateful } from './stateful.ts'
import { plainScript } from './sysvinit.ts'

const shells = installedShells()
const isRoot = process.getuid?.() === 0
if (!isRoot) console.warn('SKIPPED: directories of others, since only root can make them')

const STRANGER = 4711

describe.runIf(isRoot).each(shells)('a fileset under $name', (shell) => {
  test('is not in a directory of somebody else', async () => {
    const scene = fileset(shell, 'mkdir a')
    await scene.succeed('activate')
    const snapshot = await scene.snapshot()
    chownSync(targetOf(scene), STRANGER, STRANGER)
    const reason = `'${targetOf(scene)}' belongs to '4711', who can replace what is in it; chown root '${targetOf(scene)}'`
    for (const activity of ['activate', 'deactivate', 'snapshot', 'restore', 'collect-garbage']) {
      const { status, stderr } = await scene.call(activity, { DAVIT_SNAPSHOT: scene.copyOf(snapshot) })
      expect([activity, status, stderr]).toEqual([activity, 1, expect.stringContaining(reason)])
    }
    chownSync(targetOf(scene), 0, 0)
    await scene.succeed('status', 'deactivate', 'collect-garbage')
  })

  test('has no state below a directory that its owner got', async () => {
    const scene = fileset(shell, 'mkdir inner/files')
    await scene.succeed('activate')
    const snapshot = await scene.snapshot()
    chownSync(join(targetOf(scene), 'inner'), STRANGER, STRANGER)
    const reason = `'${join(targetOf(scene), 'inner')}' belongs to '4711', who can replace 'files'`
    for (const activity of ['snapshot', 'restore', 'collect-garbage']) {
      const { status, stderr } = await scene.call(activity, { DAVIT_SNAPSHOT: scene.copyOf(snapshot) })
      expect([activity, status, stderr]).toEqual([activity, 1, expect.stringContaining(reason)])
    }
  })

  test('follows no link that the owner of a directory makes in it', async () => {
    const scene = fileset(shell, 'mkdir a', 'mkdir a/b/c')
    scene.write(join(scene.component, '.dysnomia-filesetowner'), `${STRANGER}:${STRANGER}`)
    await scene.succeed('activate', 'deactivate')
    const victim = scene.make('victim')
    scene.make('victim/c')
    const place = join(targetOf(scene), 'a/b')
    renameSync(place, `${place}.old`)
    symlinkSync(victim, place)
    lchownSync(place, STRANGER, STRANGER)
    expect(await scene.call('activate')).toMatchObject({ status: 1 })
    expect([lstatSync(victim).uid, lstatSync(join(victim, 'c')).uid]).toEqual([0, 0])
    await scene.call('collect-garbage')
    expect(readdirSync(victim)).toEqual(['c'])
  })

  test('removes only links of its own', async () => {
    const scene = fileset(shell, 'mkdir a', `symlink ${process.execPath}`, 'target a/inner')
    scene.write(join(scene.component, '.dysnomia-filesetowner'), `${STRANGER}:${STRANGER}`)
    await scene.succeed('activate')
    const victim = scene.make('victim')
    symlinkSync(process.execPath, join(victim, 'node'))
    const inner = join(targetOf(scene), 'a/inner')
    renameSync(inner, `${inner}.old`)
    symlinkSync(victim, inner)
    const hello = join(targetOf(scene), 'bin/hello')
    renameSync(hello, `${hello}.old`)
    symlinkSync('/nowhere', hello)
    await scene.succeed('deactivate')
    expect(readdirSync(victim)).toEqual(['node'])
    expect(lstatSync(hello).isSymbolicLink()).toBe(true)
  })

  test('that cannot be activated leaves what was there', async () => {
    const scene = fileset(shell, 'mkdir a', `symlink ${process.execPath}`, 'target other')
    write(scene, { 'other/node': 'mine', 'bin/kept': '1' })
    expect(await scene.call('activate')).toMatchObject({ status: 1 })
    expect(readdirSync(targetOf(scene)).toSorted()).toEqual(['bin', 'other'])
    expect(readdirSync(join(targetOf(scene), 'bin'))).toEqual(['kept'])
  })
})

describe.skipIf(noPrivateAccounts).each(shells)('an account under $name', (shell) => {
  test.each(['createHomeDir=1', 'createHomeDir=1\ncreateHomeDirOnly=1'])(
    'gets no home directory where somebody else can replace it, with %j',
    async (settings) => {
      const scene = new Stateful(shell, 'sysvinit-script', {
        files: { 'etc/rc.d/rc3.d/S1web': plainScript('web') },
      })
      const theirs = scene.make('theirs')
      chownSync(theirs, STRANGER, STRANGER)
      scene.write(join(scene.component, 'dysnomia-support/users/davit-web'), `homeDir=${theirs}/home/x\n${settings}\n`)
      const accounts = await PrivateAccounts.of(scene)
      const { status, stderr } = await accounts.call('activate')
      expect([status, stderr]).toEqual([
        1,
        expect.stringContaining(`'${theirs}' belongs to '4711', who can replace 'home'`),
      ])
      expect([readdirSync(theirs), accounts.find('passwd', 'davit-web')]).toEqual([[], undefined])
    },
  )
})

describe.runIf(isRoot).each(shells)('a script under $name', (shell) => {
  test('is not run if somebody else can replace it', async () => {
    const scene = new Stateful(shell, 'sysvinit-script', { files: {} })
    scene.write(join(scene.directory, 'theirs/web'), plainScript('web'))
    chownSync(join(scene.directory, 'theirs/web'), STRANGER, STRANGER)
    scene.make(join('0123456789abcdef-web app', 'etc/rc.d/rc3.d'))
    symlinkSync(join(scene.directory, 'theirs/web'), join(scene.component, 'etc/rc.d/rc3.d/S1web'))
    const { status, stderr } = await scene.call('activate')
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining("/theirs/web' belongs to '4711', who can replace what is in it"),
    ])
    expect(existsSync(join(scene.directory, 'journal'))).toBe(false)
  })
})
