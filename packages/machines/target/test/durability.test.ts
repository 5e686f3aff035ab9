import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import type { PackageRequest, ProfileName, ServiceName, System, TargetName } from '@davit/documents'
import { removeTree } from '@davit/files'
import { openNativeStore, storeLayout } from '@davit/store'
import { installedShells } from '@davit/testing/shells'
import { DURABILITY, durableSteps, noStrace, stracing } from '@davit/testing/system-calls'
import { afterAll, describe, expect, test } from 'vitest'

import { importArchive } from '../src/native/import.ts'
import { acquireLock, performActivity, releaseLock } from '../src/target.ts'
import { closeScenes, Scene } from './scene.ts'

const directories: string[] = []
afterAll(() => {
  closeScenes()
  for (const directory of directories) removeTree(directory)
})

const place = { target: 't1' as TargetName, profile: 'default' as ProfileName }
const lock = { token: 'mine', owner: 'me', leaseSeconds: 60 }

/** Makes a directory for a test, with a program that runs the command given to it. */
function within(lines: (directory: string) => string): { readonly directory: string; readonly program: string } {
  const directory = mkdtempSync(join(tmpdir(), 'davit-durability-'))
  directories.push(directory)
  const program = join(directory, 'within')
  writeFileSync(program, `#!/bin/sh\n${lines(directory)} "$@"\n`, { mode: 0o755 })
  return { directory, program }
}

describe.concurrent.each(installedShells())('files on a machine with $name', (shell) => {
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

  test.each(['000', '022', '077'])('are private if they may contain secrets, with umask %s', async (umask) => {
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
    for (const file of readdirSync(scene.record)) expect([file, mode(join(scene.record, file))]).toEqual([file, '600'])
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
    await releaseLock(scene.machine, place, 'mine')
  })
})
