import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

import { DYSNOMIA_MODULES } from '@davit/testing/dysnomia'
import { installedShells } from '@davit/testing/shells'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'

import {
  activity,
  exportSnapshots,
  findModule,
  importSnapshots,
  print,
  type PrintingOperation,
} from '../src/client-interface.ts'
import { type Scene, sceneOf } from './scene.ts'

/** Keeps a line of text in `$data`. */
const OURS = `#!/bin/sh
case $1 in
  activate) [ -e "$data" ] || echo fresh >"$data" ;;
  snapshot) cp "$data" "$DAVIT_SNAPSHOT/text" ;;
  restore) cp "$DAVIT_SNAPSHOT/text" "$data" ;;
  collect-garbage) rm -f "$data" ;;
esac
`
const ACTIVITIES = 'activate\ndeactivate\nsnapshot\nrestore\ncollect-garbage\n'

const KINDS = [
  ['davit', 'data'],
  ['Dysnomia', 'base/db-1.0/rows'],
] as const

const copies = mkdtempSync(join(tmpdir(), 'davit-snapshots-'))
afterAll(() => rmSync(copies, { recursive: true }))

function copyTree(from: string, to: string): void {
  execFileSync('cp', ['-a', `${from}/.`, to])
}

describe.each(installedShells())('snapshots in $name', (shell) => {
  let scene: Scene

  beforeEach(() => {
    scene = sceneOf(shell)
    // The module of Dysnomia reads as another user.
    chmodSync(scene.directory, 0o711)
    scene.write('modules/ours', OURS, 0o755)
    scene.write('modules/ours.activities', ACTIVITIES)
    scene.write('modules/theirs', DYSNOMIA_MODULES.dumping, 0o755)
    scene.write('db-1.0/seed', 'fresh\n')
  })

  const call = async (activities: readonly string[], kind: (typeof KINDS)[number][0] = 'davit', within = scene) => {
    for (const name of activities) {
      const module = await findModule(kind === 'davit' ? 'ours' : 'theirs', {
        directories: [join(scene.directory, 'modules')],
      })
      const properties = [
        ['data', join(within.directory, 'data')],
        ['base', join(within.directory, 'base')],
        ['snapshotReader', 'nobody'],
      ] as const
      const component = join(scene.directory, 'db-1.0')
      expect([name, await activity(within.client, name, { module, container: 'box', component, properties })]).toEqual([
        name,
        0,
      ])
    }
    within.take()
  }
  const ask = async (operation: PrintingOperation, ...words: readonly string[]) => {
    expect(await print(scene.client, operation, words)).toBe(0)
    return scene
      .take()
      .printed.split('\n')
      .filter((line) => line !== '')
  }
  const prepared = new Map<string, readonly [directory: string, names: readonly string[]]>()
  /** Has three snapshots of three states. They are taken once; after that, the machine is filled with a copy. */
  const three = async (kind: (typeof KINDS)[number][0], file: string) => {
    const [directory, names] = prepared.get(kind) ?? [undefined, []]
    if (directory !== undefined) {
      copyTree(directory, scene.directory)
      return names
    }
    await call(['activate', 'snapshot', 'snapshot'], kind)
    for (const text of ['second', 'third']) {
      writeFileSync(join(scene.directory, file), `${text}\n`)
      await call(['snapshot'], kind)
    }
    const all = await ask('query_snapshots', 'all', '', '')
    const copy = mkdtempSync(join(copies, 'copy-'))
    copyTree(scene.directory, copy)
    prepared.set(kind, [copy, all])
    return all
  }

  describe.runIf(shell.inDepth).each(KINDS)('that a module of %s takes', (kind, file) => {
    const data = () => readFileSync(join(scene.directory, file), 'utf8')

    test('are three for three states; the newest one is the latest', async () => {
      const all = await three(kind, file)
      expect([all.length, new Set(all).size]).toEqual([3, 3])
      expect(all.every((name) => name.startsWith('box/db-1.0/'))).toBe(true)
      expect(await ask('query_snapshots', 'latest', 'box', 'db-1.0')).toEqual(all.slice(-1))
      expect(await ask('query_snapshots', 'all', 'other', '')).toEqual([])
      expect(await ask('query_snapshots', 'all', '', '/nowhere/0123456789abcdfghijklmnpqrsvwxyz-db-1.0')).toEqual(all)
      const missing = `box/db-1.0/${'0'.repeat(64)}`
      expect(await ask('print_missing', ...all, missing)).toEqual([missing])
      expect(await ask('resolve', ...all)).toEqual(all.map((name) => join(scene.store, 'snapshots', name)))
    })

    test('can be restored, also an older one that was made the newest', async () => {
      const [first = ''] = await three(kind, file)
      writeFileSync(join(scene.directory, file), 'lost\n')
      await call(['restore'], kind)
      expect(data()).toBe('third\n')
      const [path = ''] = await ask('resolve', first)
      const again = { container: 'box', component: 'db-1.0', paths: [path], kind: 'remote' } as const
      expect(await importSnapshots(scene.client, again)).toBe(0)
      expect(await ask('query_snapshots', 'latest', '', '')).toEqual([first])
      expect((await ask('query_snapshots', 'all', '', '')).length).toBe(4)
      await call(['restore'], kind)
      expect(data()).toBe('fresh\n')
    })

    test('are cleaned up to the newest one, or all of them', async () => {
      const all = await three(kind, file)
      expect(await print(scene.client, 'clean_snapshots', ['1', '', ''])).toBe(0)
      expect(await ask('query_snapshots', 'all', '', '')).toEqual(all.slice(-1))
      expect(await ask('print_missing', ...all)).toEqual(all.slice(0, 2))
      await call(['restore'], kind)
      expect(data()).toBe('third\n')
      expect(await print(scene.client, 'clean_snapshots', ['0', 'other', ''])).toBe(0)
      expect((await ask('query_snapshots', 'all', '', '')).length).toBe(1)
      expect(await print(scene.client, 'clean_snapshots', ['0', 'box', ''])).toBe(0)
      expect(await ask('query_snapshots', 'all', '', '')).toEqual([])
      expect(existsSync(join(scene.store, 'snapshots/box'))).toBe(false)
    })

    test('are copied to another machine and back, as they were', async () => {
      const all = await three(kind, file)
      const other = sceneOf(shell)
      chmodSync(other.directory, 0o711)
      expect(await exportSnapshots(scene.client, await ask('resolve', ...all))).toBe(0)
      const copies = scene.take().printed.trim().split('\n')
      expect(copies.map((copy) => readdirSync(copy))).toEqual(all.map((name) => [basename(name)]))
      const paths = copies.map((copy, index) => join(copy, basename(all[index] ?? '')))
      expect(await importSnapshots(other.client, { container: 'box', component: 'db-1.0', paths, kind: 'local' })).toBe(
        0,
      )
      expect(await print(other.client, 'query_snapshots', ['all', '', ''])).toBe(0)
      expect(other.take().printed.trim().split('\n')).toEqual(all)
      await call(['activate', 'restore'], kind, other)
      expect(readFileSync(join(other.directory, file), 'utf8')).toBe('third\n')
    })

    test('stay when the state is deleted after its component was deactivated', async () => {
      const all = await three(kind, file)
      await call(['deactivate', 'collect-garbage'], kind)
      expect(existsSync(join(scene.directory, file))).toBe(false)
      await call(['activate'], kind)
      expect(data()).toBe('fresh\n')
      await call(['restore'], kind)
      expect(data()).toBe('third\n')
      expect(await ask('query_snapshots', 'latest', '', '')).toEqual(all.slice(-1))
    })
  })

  test('are taken, copied, restored and cleaned up', async () => {
    const data = () => readFileSync(join(scene.directory, 'data'), 'utf8')
    const [first = '', second = '', third = ''] = await three('davit', 'data')
    expect(await ask('print_missing', first, `box/db-1.0/${'0'.repeat(64)}`)).toHaveLength(1)
    expect(await exportSnapshots(scene.client, await ask('resolve', first, second, third))).toBe(0)
    const names = [first, second, third].map((name) => basename(name))
    const paths = scene
      .take()
      .printed.trim()
      .split('\n')
      .map((copy, index) => join(copy, names[index] ?? ''))
    await call(['deactivate', 'collect-garbage', 'activate'])
    expect(data()).toBe('fresh\n')
    await call(['restore'])
    expect(data()).toBe('third\n')
    expect(await print(scene.client, 'clean_snapshots', ['1', '', ''])).toBe(0)
    expect(await ask('query_snapshots', 'all', '', '')).toEqual([third])
    const copies = { container: 'box', component: 'db-1.0', paths: paths.slice(0, 2), kind: 'local' } as const
    expect(await importSnapshots(scene.client, copies)).toBe(0)
    expect(await ask('query_snapshots', 'all', '', '')).toEqual([third, first, second])
    await call(['restore'])
    expect(data()).toBe('second\n')
    expect(await print(scene.client, 'clean_snapshots', ['0', 'box', ''])).toBe(0)
    expect(await ask('query_snapshots', 'latest', '', '')).toEqual([])
  })

  test('without any, nothing is restored', async () => {
    await call(['activate', 'restore'])
    expect(readFileSync(join(scene.directory, 'data'), 'utf8')).toBe('fresh\n')
  })

  test('that were damaged on the way are refused', async () => {
    const [name = ''] = await three('davit', 'data')
    await exportSnapshots(scene.client, await ask('resolve', name))
    const copy = join(scene.take().printed.trim(), basename(name))
    appendFileSync(join(copy, 'listing'), '-')
    const other = sceneOf(shell)
    const snapshots = { container: 'box', component: 'db-1.0', paths: [copy], kind: 'local' } as const
    expect(await importSnapshots(other.client, snapshots)).toBe(1)
    expect(other.take().said).toMatch(/is damaged: its listing was altered/)
    await print(other.client, 'query_snapshots', ['all', '', ''])
    expect(other.take().printed).toBe('')
    expect(readdirSync(join(other.store, 'incoming'))).toEqual([])
  })

  test('that are damaged in the store are replaced by what arrives', async () => {
    const all = await three('davit', 'data')
    const [path = ''] = await ask('resolve', all.at(-1) ?? '')
    await exportSnapshots(scene.client, [path])
    const copy = join(scene.take().printed.trim(), basename(path))
    appendFileSync(join(path, 'listing'), '-')
    const snapshots = { container: 'box', component: 'db-1.0', paths: [copy], kind: 'local' } as const
    expect(await importSnapshots(scene.client, snapshots)).toBe(0)
    writeFileSync(join(scene.directory, 'data'), 'lost\n')
    await call(['restore'])
    expect(readFileSync(join(scene.directory, 'data'), 'utf8')).toBe('third\n')
  })

  test.runIf(shell.inDepth).each(['../../escape', 'a/../b', '/etc/passwd', 'a/b', 'a/b/c/d', ''])(
    'have no such name as %j',
    async (name) => {
      for (const operation of ['print_missing', 'resolve'] as const)
        await expect(print(scene.client, operation, [name])).rejects.toMatchObject({ code: 'bad-request' })
    },
  )

  test.runIf(shell.inDepth).each(['..', '$(id)', 'a b', '.x'])(
    'are not imported under the name %j',
    async (component) => {
      const paths = [scene.write('id/file', '').replace('/file', '')]
      for (const kind of ['local', 'remote'] as const) {
        const snapshots = { container: 'box', component, paths, kind }
        await expect(importSnapshots(scene.client, snapshots)).rejects.toMatchObject({ code: 'bad-request' })
      }
    },
  )

  test('of a directory that is not there cannot be sent, and leave nothing', async () => {
    await expect(exportSnapshots(scene.client, [join(scene.directory, 'no')])).rejects.toMatchObject({
      code: 'cannot-read',
    })
    expect(readdirSync(scene.directory).filter((name) => name.startsWith('davit-export'))).toEqual([])
  })

  test.each(['local', 'remote'] as const)('are what a %s link leads to', async (kind) => {
    scene.write('outside/secret', 'secret')
    symlinkSync(join(scene.directory, 'outside'), join(scene.directory, 'linked'))
    const paths = [join(scene.directory, 'linked')]
    expect(await importSnapshots(scene.client, { container: 'box', component: 'web', paths, kind })).toBe(0)
    const kept = join(scene.store, 'snapshots/box/web/linked')
    expect([lstatSync(kept).isDirectory(), readFileSync(join(kept, 'secret'), 'utf8')]).toEqual([true, 'secret'])
    // Modules of Dysnomia read there as other users.
    const places = ['snapshots', 'generations', 'checksums'].flatMap((place) => [place, `${place}/box/web`])
    expect(places.filter((place) => (lstatSync(join(scene.store, place)).mode & 0o055) !== 0o055)).toEqual([])
    for (const name of ['-x', '.hidden', "it's $(id)"]) {
      scene.write(`${name}/file`, '')
      const strange = { container: 'box', component: 'web', paths: [join(scene.directory, name)], kind }
      await expect(importSnapshots(scene.client, strange)).rejects.toMatchObject({ code: 'bad-request' })
    }
    expect(readdirSync(join(scene.store, 'incoming'))).toEqual([])
  })

  test('are not exported if they cannot be kept here; the reason is told', async () => {
    scene.write('strange/large', '.'.repeat(5_000_000))
    const path = join(scene.directory, 'strange')
    const pipes = Array.from({ length: 20 }, (_, index) => join(path, String(index)))
    execFileSync('mkfifo', pipes)
    const before = readdirSync(scene.directory)
    await expect(exportSnapshots(scene.client, [path])).rejects.toThrow(/strange/)
    expect([scene.take().printed, readdirSync(scene.directory)]).toEqual(['', before])
  })
})
