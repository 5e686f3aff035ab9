import { mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import type { PackageRequest, ProfileName, ServiceName, System, TargetName } from '@davit/documents'
import { removeTree } from '@davit/files'
import { openNativeStore, storeLayout } from '@davit/store'
import { shellsWithUtilities } from '@davit/testing/shells'
import { DURABILITY, durableSteps, noStrace, stracing } from '@davit/testing/system-calls'
import { afterAll, describe, expect, test } from 'vitest'

import { importArchive } from '../src/native/import.ts'
import {
  acquireLock,
  copySnapshot,
  listSnapshots,
  performActivity,
  performStateActivity,
  releaseLock,
} from '../src/target.ts'
import { closeScenes, Scene, SERVICE } from './scene.ts'

const directories: string[] = []
afterAll(() => {
  closeScenes()
  for (const directory of directories) removeTree(directory)
})

const place = { target: 't1' as TargetName, profile: 'default' as ProfileName }
const lock = { token: 'mine', owner: 'me', leaseSeconds: 60 }

/** Takes a snapshot of a component `web` on `t1`. */
async function takeSnapshot(scene: Scene): Promise<void> {
  scene.module('[ "$1" != snapshot ] || echo rows >"$DAVIT_SNAPSHOT/dump"')
  const { profile, mapping } = scene
  const marked = scene.path('state/targets/t1/dysnomia/activated/process')
  mkdirSync(marked, { recursive: true })
  writeFileSync(join(marked, 'web'), '')
  const definition = { service: SERVICE, module: scene.path('module'), properties: new Map<string, string>() }
  const state = { ...mapping, component: 'web' }
  const request = { profile, token: undefined, mapping: state, definition, compressor: 'gzip' } as const
  const machine = await scene.machineFor('state')
  expect(await performStateActivity(machine, { ...request, activity: 'snapshot' })).toEqual({ kind: 'succeeded' })
}

/** Makes a directory for a test, with a program that runs the command given to it. */
function within(lines: (directory: string) => string): { readonly directory: string; readonly program: string } {
  const directory = mkdtempSync(join(tmpdir(), 'davit-durability-'))
  directories.push(directory)
  const program = join(directory, 'within')
  writeFileSync(program, `#!/bin/sh\n${lines(directory)} "$@"\n`, { mode: 0o755 })
  return { directory, program }
}

describe.concurrent.each(shellsWithUtilities())('files on a machine with $name', (shell) => {
  describe.skipIf(noStrace !== undefined)('are synced', () => {
    const traced = async () => {
      const calls = (directory: string) => join(directory, 'calls')
      const { directory, program } = within((own) => `exec ${stracing(calls(own), ...DURABILITY).join(' ')}`)
      const scene = await Scene.open(shell, { within: program })
      const steps = () => durableSteps(calls(directory)).filter((step) => !step.startsWith('created'))
      return { directory, scene, steps }
    }

    test('before they count: records, states and locks', async () => {
      const { scene, steps } = await traced()
      scene.module('exit 0')
      await acquireLock(scene.machine, place, lock)
      for (const activity of ['activate', 'deactivate'] as const) {
        expect(await performActivity(scene.machine, scene.request(activity))).toEqual({ kind: 'succeeded' })
      }
      const replaced = (directory: string, name: string) => [
        `synced ${directory}/${name}.new`,
        `renamed ${directory}/${name}.new ${directory}/${name}`,
        `synced ${directory}`,
      ]
      const stepsIn = (directory: string, names: readonly string[]) =>
        steps().filter(
          (step) => step === `synced ${directory}` || names.some((name) => step.includes(`${directory}/${name}`)),
        )
      const locks = scene.path('state/targets/t1/lock/default')
      expect(stepsIn(locks, ['number', 'holder'])).toEqual([
        `synced ${locks}/number.new`,
        `synced ${locks}/holder.new`,
        `renamed ${locks}/number.new ${locks}/number`,
        `renamed ${locks}/holder.new ${locks}/holder`,
        `synced ${locks}`,
      ])
      // The record, and the state in a new file; then active and deactivating take its place on the disk.
      expect(steps().filter((step) => step.includes(dirname(scene.record)) && !step.includes('.gone.'))).toEqual([
        ...replaced(scene.record, 'record').slice(0, 2),
        `synced ${scene.record}/state`,
        `synced ${scene.record}`,
        `synced ${dirname(scene.record)}`,
        `synced ${scene.record}/state`,
        `synced ${scene.record}/state`,
      ])
    })

    test('before they count: snapshots', async () => {
      const { scene, steps } = await traced()
      await takeSnapshot(scene)
      const snapshots = scene.path('state/targets/t1/dysnomia')
      const [name = ''] = readdirSync(join(snapshots, 'snapshots/process/web'))
      const place = join(snapshots, 'snapshots/process/web')
      const relevant = steps().filter((step) => step.includes(snapshots))
      const renamed = relevant.findIndex((step) => step.startsWith('renamed') && step.endsWith(`${place}/${name}`))
      const packed = readdirSync(join(place, name))
      const synced = relevant.slice(0, renamed).filter((step) => step.startsWith('synced'))
      for (const file of packed) expect(synced.some((step) => step.endsWith(`/packed/${file}`))).toBe(true)
      expect(relevant.slice(renamed + 1, renamed + 3)).toEqual([
        `synced ${place}`,
        `synced ${join(snapshots, 'generations/process/web')}`,
      ])
    })

    test('before they count: packages that were sent', async () => {
      const { directory, scene, steps } = await traced()
      const source = join(directory, 'file')
      writeFileSync(source, 'content\n')
      const environment = { PATH: '/usr/bin:/bin' }
      const store = await openNativeStore({ directory: join(directory, 'store'), environment })
      const wanted = { spec: { kind: 'source', path: source }, system: 'x86_64-linux' as System }
      const request = { ...wanted, wantedBy: { service: 'web' as ServiceName } } as PackageRequest
      const [made] = await store.instantiate([request])
      if (made === undefined) throw new Error('there is no package')
      const name = made.outPath.slice(made.outPath.lastIndexOf('/') + 1)
      const layout = storeLayout(join(directory, 'other-store'))
      await importArchive(await scene.machineFor('carry'), layout, {
        archive: store.export([made.outPath]),
        names: [name],
        protect: [],
        needs: [],
        signal: new AbortController().signal,
      })
      const relevant = steps().filter((step) => step.includes(name) || step === 'synced everything')
      // Path and record are on the disk before the record counts.
      expect(relevant.map((step) => step.replace(/^renamed .*[/ ]/, 'renamed to '))).toEqual([
        `renamed to ${name}`,
        'synced everything',
        `renamed to ${name}.json`,
      ])
    })
  })

  test.runIf(shell.inDepth).each(['000', '022'])('are private if they are snapshots, with umask %s', async (umask) => {
    const { program } = within(() => `umask ${umask}; exec`)
    const scenes = await Promise.all([1, 2].map(() => Scene.open(shell, { within: program })))
    const [here, there] = await Promise.all(
      scenes.map(async (scene) => ({ machine: await scene.machineFor('state'), place: 'targets/t1' })),
    )
    const [scene, other] = scenes
    if (scene === undefined || other === undefined || here === undefined || there === undefined)
      throw new Error('no machine')
    await takeSnapshot(scene)
    const [snapshot] = await listSnapshots(here)
    if (snapshot === undefined) throw new Error('there is no snapshot')
    await copySnapshot(here, [{ store: there }], { snapshot, signal: new AbortController().signal })
    for (const { path } of scenes.map((one) => ({
      path: one.path('state/targets/t1/dysnomia/snapshots/process/web'),
    }))) {
      const entries = readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name))
      expect(entries).toHaveLength(3)
      for (const entry of [path, ...entries]) expect([entry, statSync(entry).mode & 0o077]).toEqual([entry, 0])
    }
  })

  test.runIf(shell.inDepth).each(['000', '022', '077'])(
    'are private if they may contain secrets, with umask %s',
    async (umask) => {
      const { program } = within(() => `umask ${umask}; exec`)
      const scene = await Scene.open(shell, { within: program })
      const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
      scene.module('echo printed; ls -l "$1" 2>/dev/null; umask >"$D/umask"; : >"$D/made"; [ "$1" != deactivate ]')
      await acquireLock(scene.machine, place, lock)
      await performActivity(scene.machine, scene.request('activate'))
      const logs = scene.path('state/targets/t1/log/default')
      expect([mode(scene.record), mode(join(scene.record, 'record')), mode(join(scene.record, 'state'))]).toEqual([
        '700',
        '600',
        '600',
      ])
      await performActivity(scene.machine, scene.request('deactivate'))
      for (const file of readdirSync(scene.record))
        expect([file, mode(join(scene.record, file))]).toEqual([file, '600'])
      expect(readdirSync(scene.record).toSorted()).toEqual(['record', 'state', 'status'])
      expect([mode(logs), ...readdirSync(logs).map((file) => mode(join(logs, file)))]).toEqual(['700', '600', '600'])
      for (const hidden of ['active', 'active/default', 'run', 'log/services']) {
        expect([hidden, mode(scene.path(`state/targets/t1/${hidden}`))]).toEqual([hidden, '700'])
      }
      // Modules run with the usual umask.
      expect([scene.read('umask').trim().slice(-3), mode(scene.path('made'))]).toEqual(['022', '644'])
      const ofLocks = ['t1', 't1/lock', 't1/lock/default', 't1/lock/default/holder', 't1/lock/default/number']
      const modes = ofLocks.map((path) => mode(scene.path(`state/targets/${path}`)))
      expect(modes).toEqual(['755', '755', '755', '644', '644'])
      await releaseLock(scene.machine, place, { token: 'mine' })
    },
  )
})
