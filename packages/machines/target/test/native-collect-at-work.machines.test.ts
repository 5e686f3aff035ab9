import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

import { shellConnection } from '@davit/connection/testing'
import { DavitError } from '@davit/diagnostics'
import type { InstantiatedPackage, StorePath } from '@davit/documents'
import { encodeProcessReference, processReference } from '@davit/process'
import type { NativeStore } from '@davit/store'
import { shellsInDepth } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { collectGarbage, openMachine } from '../src/target.ts'
import { build, type Collecting, names, openCollecting, outOf, signal } from './collecting.ts'

describe.each(shellsInDepth())('while others work, on a machine with $name', (shell) => {
  let scene: Collecting

  beforeEach(async () => {
    scene = await openCollecting(shell)
  })
  afterEach(() => scene.close())

  test.runIf(shell.inDepth)('waits for coordinators that change the store, and they for it', async () => {
    const [a] = outOf(await scene.instantiate(scene.source('a'))) as [StorePath]
    scene.expire()
    // Like the claim of a helper at work.
    symlinkSync(scene.machine.facts.helper, join(scene.layout.directory, '.davit/commit'))
    let isDone = false
    const adding = scene.store.protect([a]).then(
      () => (isDone = true),
      (error: unknown) => error,
    )
    const other = await openMachine(async () => shellConnection(shell, join(scene.directory, 'other')), {
      role: 'collect',
    })
    const collecting = collectGarbage(other, scene.layout.directory, { store: scene.store, signal })
    expect([isDone, scene.registered()]).toEqual([false, names(a)])
    rmSync(join(scene.layout.directory, '.davit/commit'))
    // Whichever comes first, the other one notices.
    const added = await adding
    expect((await collecting).paths).toHaveLength(added === true ? 0 : 1)
    expect(added === true || (added instanceof DavitError && added.code === 'invalid-path')).toBe(true)
    expect(scene.registered()).toEqual(added === true ? names(a) : [])
    other.close()
  })

  test.runIf(shell.inDepth)('waits for a coordinator that has begun, but not for a dead one', async () => {
    await scene.instantiate(scene.source('a'))
    scene.expire()
    const here = processReference()
    const [alive, dead] = [here, { ...here, startTime: here.startTime - 1 }].map((one) =>
      join(scene.layout.incoming, `${encodeProcessReference(one)}-commit-0`),
    ) as [string, string]
    for (const marker of [alive, dead]) mkdirSync(marker)
    let isDone = false
    const collecting = scene.collect().then(() => (isDone = true))
    await until(() => expect(readdirSync(join(scene.layout.directory, '.davit'))).toContain('commit'))
    // Longer than the pause between two looks.
    const other = await openMachine(async () => scene.connection)
    other.close()
    expect([isDone, scene.registered().length]).toEqual([false, 1])
    rmdirSync(alive)
    await collecting
    expect(scene.registered()).toEqual([])
  })

  test.runIf(shell.inDepth)('packages made at the same time are complete afterwards', async () => {
    const stop = new AbortController()
    const collecting = (async () => {
      while (!stop.signal.aborted) await scene.collect()
    })()
    let last: readonly StorePath[] = []
    await scene.store.protect([])
    try {
      for (let round = 0; round < 6; round += 1) {
        scene.expire()
        // What only every other round needs is collected and made again.
        const some =
          round % 2 === 0 ? [scene.source('shared'), scene.source(`own-${round}`)] : [scene.source(`own-${round}`)]
        const packages = outOf(await scene.instantiate(...some))
        last = await scene.store.addProfiles([{ name: 'p', packages, profileManifest: `${round}`, modules: new Map() }])
        await scene.store.addRoot('generation-1', last)
        expect(await (await scene.open()).closure(last)).toHaveLength(packages.length + 1)
      }
    } finally {
      stop.abort()
      await collecting
    }
    scene.expire()
    await scene.collect()
    expect(await (await scene.open()).closure(last)).toHaveLength(2)
    expect(scene.registered()).toHaveLength(2)
  })

  test.runIf(shell.inDepth)('computes the garbage again when what is kept has changed', async () => {
    const [a, b] = outOf(await scene.instantiate(scene.source('a'), scene.source('b'))) as [StorePath, StorePath]
    const [{ derivation }] = (await scene.instantiate(build('x', ':'))) as [InstantiatedPackage]
    scene.expire()
    let rounds = 0
    const outputs: NativeStore['outputs'] = (derivations) => {
      rounds += 1
      // After the survey, and before anything is removed.
      if (rounds === 1) symlinkSync(b, join(scene.layout.roots, `late:${basename(b)}`))
      return scene.store.outputs(derivations)
    }
    const { paths } = await collectGarbage(scene.machine, scene.layout.directory, {
      store: { ...scene.store, outputs },
      signal,
    })
    expect([rounds, scene.registered()]).toEqual([2, names(b)])
    expect(names(...paths.map(({ path }) => path))).toEqual(names(a, derivation!))
  })

  test.runIf(shell.inDepth)(
    'killed at any moment, it leaves a consistent store, and the next one finishes the work',
    async () => {
      const sources = Array.from({ length: 8 }, (_, index) => scene.source(`s${index}`))
      for (const stop of [1, 2, 3]) {
        const paths = outOf(await scene.instantiate(...sources))
        const [top] = await scene.store.addProfiles([
          { name: 't', packages: paths, profileManifest: '', modules: new Map() },
        ])
        scene.expire()
        const victim = shellConnection(shell, join(scene.directory, 'state'))
        const other = await openMachine(async () => victim, { role: 'collect' })
        const collecting = collectGarbage(other, scene.layout.directory, { store: scene.store, signal }).catch(() => {})
        // At some moment between the survey and the end.
        await until(() => expect(changes(stop)).toBe(true))
        for (const pid of victim.pids) kill(pid)
        await collecting
        other.close()
        const fresh = await scene.open()
        for (const name of scene.registered()) {
          const [registration] = await fresh.registrations([`${scene.layout.directory}/${name}` as StorePath])
          expect(await fresh.invalidPaths(registration!.references)).toEqual([])
        }
        await scene.collect()
        expect([scene.registered(), scene.inStore(), readdirSync(scene.layout.incoming)]).toEqual([[], [], []])
        scene.store = await scene.open()
        expect(await scene.store.invalidPaths([top!])).toEqual([top])
      }
    },
  )

  /** Whether the collection has reached a stage: none, registrations gone, trees gone. */
  const changes = (stage: number) =>
    stage === 1 ||
    (stage === 2 ? scene.registered().length < 9 : scene.inStore().length < 9 || scene.registered().length < 9)

  test.runIf(shell.inDepth)('a build during a collection succeeds, and keeps its inputs', async () => {
    const [kept] = outOf(await scene.instantiate(scene.source('kept'))) as [StorePath]
    scene.expire()
    const input = build('input', 'echo input > $out')
    await scene.realise(await scene.instantiate(input))
    const go = join(scene.directory, 'go')
    const script = `until [ -e ${go} ]; do sleep 0.01; done; cat $in > $out`
    const packages = await scene.instantiate(build('slow', script, { in: input }))
    const building = scene.realise(packages)
    await until(() => expect(readdirSync(scene.layout.locks)).toHaveLength(1))
    // As after a build of more than a day.
    scene.expire()
    const { paths } = await scene.collect()
    expect(paths.map(({ path }) => path)).toEqual([kept])
    writeFileSync(go, '')
    await building
    expect(readFileSync(packages[0]!.outPath, 'utf8')).toBe('input\n')
  })
})

/** Kills a process and its descendants. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGSTOP')
    const children = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' }).stdout.match(/\d+/g)
    process.kill(pid, 'SIGKILL')
    for (const child of children ?? []) kill(Number(child))
  } catch {
    // The process has already ended.
  }
}
