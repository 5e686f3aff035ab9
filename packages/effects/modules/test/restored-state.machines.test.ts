import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Shell } from '@davit/testing/shells'
import { describe, expect, test } from 'vitest'

import { fileset, targetOf } from './fileset.ts'
import { FOREVER, installedShells } from './scene.ts'
import { Stateful } from './stateful.ts'

const shells = installedShells()
const isRoot = process.getuid?.() === 0
if (!isRoot) console.warn('SKIPPED: snapshots with files of others, since only root can make them')

/** A module that restores a directory, where the snapshot has it, and where it is then. */
interface Restoring {
  readonly scene: Stateful
  readonly dump: string
  readonly from: string
  readonly to: string
}

const MODULES: Readonly<Record<string, (shell: Shell) => Restoring>> = {
  process(shell) {
    const scene = new Stateful(shell, 'process', {
      files: { 'bin/web': FOREVER, 'etc/dysnomia/process/web': 'stateDirectory=$SCENE/state' },
    })
    const dump = scene.make('dump')
    return { scene, dump, from: scene.make('dump/state'), to: join(scene.directory, 'state') }
  },
  fileset(shell) {
    const scene = fileset(shell, 'mkdir a/b')
    const dump = scene.make('dump')
    writeFileSync(join(dump, 'directories'), '1 a/b\n')
    return { scene, dump, from: scene.make('dump/1'), to: join(targetOf(scene), 'a/b') }
  },
}

/** Nothing where no program tells them. */
function capabilitiesOf(path: string): string {
  return spawnSync('getcap', [path], { encoding: 'utf8' }).stdout ?? ''
}

const CASES = shells.flatMap((shell) => Object.keys(MODULES).map((module) => [module, shell.name, shell] as const))

describe.runIf(isRoot).each(CASES)('a snapshot that %s restores under %s', (module, _, shell) => {
  test('gives nobody rights of another', async () => {
    const { scene, dump, from, to } = MODULES[module]!(shell)
    for (const [name, owner, mode] of [
      ['root', 0, 0o6755],
      ['user', 4711, 0o4711],
      ['group', 4711, 0o2711],
      ['locking', 4712, 0o2640],
    ] as const) {
      writeFileSync(join(from, name), 'x')
      chownSync(join(from, name), owner, owner)
      chmodSync(join(from, name), mode)
    }
    mkdirSync(join(from, 'directory'))
    chmodSync(join(from, 'directory'), 0o2750)
    writeFileSync(join(from, 'capable'), 'x', { mode: 0o755 })
    spawnSync('setcap', ['cap_setuid+ep', join(from, 'capable')])
    expect(await scene.call('restore', { DAVIT_SNAPSHOT: dump })).toMatchObject({ status: 0, stderr: '' })
    const facts = (name: string) =>
      `${(lstatSync(join(to, name)).mode & 0o7777).toString(8)} ${lstatSync(join(to, name)).uid}`
    expect(['root', 'user', 'group', 'locking', 'directory'].map(facts)).toEqual([
      '755 0',
      '711 4711',
      '711 4711',
      '640 4712',
      '2750 0',
    ])
    expect(capabilitiesOf(join(to, 'capable'))).toBe('')
  })

  test('may have files of many', async () => {
    const { scene, dump, from, to } = MODULES[module]!(shell)
    const files = Array.from({ length: 102 }, (_unused, index) => ({ name: `${index}`, owner: 5000 + index }))
    for (const { name, owner } of files) {
      writeFileSync(join(from, name), 'x')
      chownSync(join(from, name), owner, owner)
      chmodSync(join(from, name), 0o4755)
    }
    spawnSync('setcap', ['cap_setuid+ep', join(from, '0')])
    expect(await scene.call('restore', { DAVIT_SNAPSHOT: dump })).toMatchObject({ status: 0, stderr: '' })
    const facts = files.map(({ name }) => lstatSync(join(to, name)))
    expect(capabilitiesOf(join(to, '0'))).toBe('')
    expect(facts.map(({ mode, uid }) => [mode & 0o7777, uid])).toEqual(files.map(({ owner }) => [0o755, owner]))
  })

  test('has no device', async () => {
    const { scene, dump, from, to } = MODULES[module]!(shell)
    mkdirSync(join(from, 'dev'))
    if (spawnSync('mknod', [join(from, 'dev/disk'), 'b', '7', '99']).status !== 0) return
    const { status, stderr } = await scene.call('restore', { DAVIT_SNAPSHOT: dump })
    expect([status, stderr]).toEqual([1, expect.stringMatching(/the snapshot has a device: '.*dev\/disk'/)])
    expect(existsSync(to)).toBe(false)
  })
})

describe.each(shells)('links in a snapshot under $name', (shell) => {
  test('are not taken for the state of a process', async () => {
    const { scene, dump, from, to } = MODULES['process']!(shell)
    const victim = scene.make('victim')
    spawnSync('rmdir', [from])
    symlinkSync(victim, from)
    const { status, stderr } = await scene.call('restore', { DAVIT_SNAPSHOT: dump, stateMode: '0777' })
    expect([status, stderr]).toEqual([1, expect.stringContaining('the state in the snapshot is a link')])
    expect([existsSync(to), lstatSync(victim).mode & 0o777]).toEqual([false, 0o755])
  })

  test.each([
    ['1 x\n2 x/link/new\n', '1/link', ['mkdir x', 'mkdir y']],
    ['1 x\n', '1/link', ['mkdir x/link/old']],
    ['1 x\n', '1/link', ['mkdir x/link']],
  ])('lead nowhere for a fileset whose list is %j', async (list, link, directives) => {
    const scene = fileset(shell, ...directives)
    const victim = scene.make('victim')
    scene.write(join(victim, 'old/file'), 'old')
    const dump = scene.make('dump')
    writeFileSync(join(dump, 'directories'), list)
    for (const directory of ['1', '2/inner']) mkdirSync(join(dump, directory), { recursive: true })
    symlinkSync(victim, join(dump, link))
    const { status, stderr } = await scene.call('restore', { DAVIT_SNAPSHOT: dump })
    expect([status, stderr]).toEqual([1, expect.stringContaining('is a symbolic link, expected a directory')])
    expect([readdirSync(victim), scene.read('victim/old/file')]).toEqual([['old'], 'old'])
  })

  test('in an archive of Dysnomia lead nowhere', async () => {
    const scene = fileset(shell, 'mkdir x/old')
    const victim = scene.make('victim')
    scene.write(join(victim, 'old/file'), 'old')
    const content = scene.make('content')
    symlinkSync(victim, join(content, 'x'))
    const archive = join(scene.make('dump'), 'state.tar.xz')
    spawnSync('tar', ['-cJf', archive, '-C', content, 'x'])
    const { status, stderr } = await scene.call('restore', { DAVIT_SNAPSHOT: dirname(archive) })
    expect([status, stderr]).toEqual([1, expect.stringContaining('is a symbolic link, expected a directory')])
    expect(scene.read('victim/old/file')).toBe('old')
  })
})
