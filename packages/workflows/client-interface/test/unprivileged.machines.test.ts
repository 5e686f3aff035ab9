import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { shellConnection } from '@davit/connection/testing'
import { AS_NOBODY, NOBODY } from '@davit/testing/nobody'
import { scratchDirectory } from '@davit/testing/scratch'
import { installedShells } from '@davit/testing/shells'
import { describe, expect, test } from 'vitest'

import { activity, findModule, importSnapshots, print } from '../src/client-interface.ts'
import { type Scene, sceneOver } from './scene.ts'

const cannotBeNobody = spawnSync(AS_NOBODY[0], [...AS_NOBODY.slice(1), 'true']).status !== 0

describe.skipIf(cannotBeNobody)('a user without privileges', () => {
  const [shell] = installedShells()

  const sceneWith = (environment: Readonly<Record<string, string>>): Scene => {
    if (shell === undefined) throw new Error('there is no shell')
    const directory = scratchDirectory()
    const as = sceneOver(shellConnection(shell, directory), directory)
    const within = as.write('as-nobody', `#!/bin/sh\nexec ${AS_NOBODY.join(' ')} "$@"\n`, 0o755)
    chmodSync(directory, 0o755)
    mkdirSync(join(directory, 'mine'))
    chownSync(join(directory, 'mine'), NOBODY.uid, NOBODY.gid)
    const around = Object.fromEntries(Object.entries(environment).map(([name, path]) => [name, join(directory, path)]))
    const path = `${shell.path}:/usr/sbin:/sbin`
    return sceneOver(shellConnection({ ...shell, path }, directory, { within, environment: around }), directory)
  }
  const call = async (scene: Scene) => ({
    module: await findModule('echo', { directories: [] }),
    container: '',
    component: scene.directory,
    properties: [],
  })

  test('has a place of his own for markers, snapshots and profiles', async () => {
    const scene = sceneWith({ DYSNOMIA_STATEDIR: 'mine/state', NIX_STATE_DIR: 'nix' })
    const name = spawnSync(AS_NOBODY[0], [...AS_NOBODY.slice(1), 'id', '-un'], { encoding: 'utf8' }).stdout.trim()
    expect(await activity(scene.client, 'activate', await call(scene))).toBe(0)
    scene.take()
    scene.write('nix/profiles/disnix/shop/profilemanifest.xml', 'of root')
    expect(await print(scene.client, 'query_installed', ['shop'])).toBe(0)
    expect(scene.take().printed).toBe('')
    scene.write(`nix/profiles/per-user/${name}/disnix/shop/profilemanifest.xml`, 'own')
    expect(await print(scene.client, 'query_installed', ['shop'])).toBe(0)
    expect(scene.take().printed).toBe('own')
  })

  test('has nothing called by root, to whom he offers his directory or a module in it', async () => {
    const directory = scratchDirectory()
    const store = join(directory, 'dysnomia')
    const environment = { DYSNOMIA_STATEDIR: store, TMPDIR: directory }
    const scene = sceneOver(shellConnection(shell!, directory, { environment }), directory)
    expect(await activity(scene.client, 'activate', await call(scene))).toBe(0)
    scene.take()
    const hash = readdirSync(join(store, 'davit/modules'))[0] ?? ''
    for (const place of ['', 'davit', 'davit/modules', `davit/modules/${hash}`, `davit/modules/${hash}/echo`]) {
      const path = join(store, place)
      chownSync(path, NOBODY.uid, NOBODY.gid)
      await expect(activity(scene.client, 'activate', await call(scene))).rejects.toMatchObject({
        code: 'not-private',
        message: expect.stringContaining(`others may change '${path}', from`) as string,
      })
      chownSync(path, 0, 0)
    }
    // Nor a directory above it, in which he could put another one.
    chownSync(directory, NOBODY.uid, NOBODY.gid)
    await expect(activity(scene.client, 'activate', await call(scene))).rejects.toMatchObject({
      code: 'not-private',
      message: expect.stringContaining(`'${directory}' belongs to`) as string,
    })
    chownSync(directory, 0, 0)
    expect(scene.take().printed).toBe('')
    expect(await activity(scene.client, 'activate', await call(scene))).toBe(0)
  })

  test('is told what he may not write', async () => {
    const scene = sceneWith({ DYSNOMIA_STATEDIR: 'state' })
    const denied = { code: 'cannot-create', message: expect.stringContaining('may not write to') as string }
    await expect(activity(scene.client, 'activate', await call(scene))).rejects.toMatchObject(denied)
    const paths = [scene.write('id/file', '').replace('/file', '')]
    const snapshots = { container: 'a', component: 'b', paths, kind: 'remote' } as const
    await expect(importSnapshots(scene.client, snapshots)).rejects.toMatchObject(denied)
  })
})
