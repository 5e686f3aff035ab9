import { existsSync, lutimesSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

import { shellConnection } from '@davit/connection/testing'
import type { ProfileName, StorePath, TargetName } from '@davit/documents'
import { notingShells } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { nativeTargetStore } from '../src/native/native-target-store.ts'
import { collectGarbage, findGarbage, openMachine, setProfile, trimProfile } from '../src/target.ts'
import { build, type Collecting, names, openCollecting, outOf, signal } from './collecting.ts'
import { testCalls } from './functions.ts'

const target = 't1' as TargetName
const profile = 'default' as ProfileName

describe.each(notingShells())('on a machine with $name', (shell) => {
  let scene: Collecting

  beforeEach(async () => {
    scene = await openCollecting(shell)
  })
  afterEach(() => scene.close())

  test('what roots need stays, the rest goes, and a dry run only reports it', async () => {
    const [a, b, c] = outOf(await scene.instantiate(scene.source('a'), scene.source('b'), scene.source('c'))) as [
      StorePath,
      StorePath,
      StorePath,
    ]
    const [referring] = await scene.store.addProfiles([
      { name: 't1', packages: [a], profileManifest: '<x/>', modules: new Map() },
    ])
    await scene.store.addRoot('generation-1', [referring!])
    expect(await scene.collect()).toMatchObject({ paths: [], rubbish: [] })
    await scene.store.protect([c])
    scene.expire()
    await scene.store.protect([c])
    const garbage = await findGarbage(scene.machine, scene.layout.directory, { store: scene.store, signal })
    expect(garbage.paths.map(({ path }) => path)).toEqual([b])
    expect(garbage.paths[0]?.bytes).toBeGreaterThan(10)
    expect(scene.registered()).toEqual(names(a, b, c, referring!))
    expect(await scene.collect()).toEqual(garbage)
    expect(scene.registered()).toEqual(names(a, c, referring!))
    expect(scene.inStore()).toEqual(scene.registered())
    expect(await (await scene.open()).invalidPaths([a, b, c])).toEqual([b])
    expect(readdirSync(scene.layout.incoming)).toEqual([])
    await scene.store.removeRoot('generation-1')
    const { paths } = await scene.collect()
    expect(paths.map(({ path }) => path)).toEqual([referring, a])
  })

  test('protected paths are reported, and on request collected if nobody needs them', async () => {
    const [a, b, c] = outOf(await scene.instantiate(scene.source('a'), scene.source('b'), scene.source('c'))) as [
      StorePath,
      StorePath,
      StorePath,
    ]
    const hoursAgo = (path: StorePath, hours: number) => {
      const time = new Date(Math.floor(Date.now() / 1000 - hours * 3600) * 1000)
      lutimesSync(join(scene.layout.roots, `temporary:${basename(path)}`), time, time)
      return new Date(time.getTime() + 24 * 3_600_000)
    }
    const [first, last] = [hoursAgo(a, 20), hoursAgo(b, 2)]
    await scene.store.addRoot('generation-1', [c])
    hoursAgo(c, 23)
    const now = (options = {}) =>
      collectGarbage(scene.machine, scene.layout.directory, {
        store: scene.store,
        signal,
        leftovers: 'collect',
        ...options,
      })
    const { paths, kept } = await scene.collect()
    expect([paths, kept.paths.map(({ path }) => path).toSorted()]).toEqual([[], [a, b].toSorted()])
    expect(kept.until).toEqual([first, last])
    // Their owner, this process, lives.
    expect((await now()).paths).toEqual([])
    rmSync(join(scene.layout.directory, '.davit/needed'), { recursive: true })
    const lock = join(scene.directory, 'state/targets/t1/lock/default')
    mkdirSync(lock, { recursive: true })
    writeFileSync(join(lock, 'holder'), `token x\nowner y\nrenewed ${Math.floor(Date.now() / 1000)}\nlease 600\n`)
    expect((await now()).paths).toEqual([])
    rmSync(lock, { recursive: true })
    await scene.store.protect([b])
    rmSync(join(scene.layout.directory, '.davit/needed'), { recursive: true })
    const ahead = await findGarbage(scene.machine, scene.layout.directory, {
      store: scene.store,
      signal,
      leftovers: 'collect',
    })
    expect([ahead.paths.map(({ path }) => path), ahead.kept.paths.map(({ path }) => path)]).toEqual([[a], [b]])
    expect(scene.registered()).toEqual(names(a, b, c))
    expect((await now()).paths.map(({ path }) => path)).toEqual([a])
    expect([scene.registered(), existsSync(join(scene.layout.roots, `temporary:${basename(a)}`))]).toEqual([
      names(b, c),
      false,
    ])
  })

  test.runIf(shell.inDepth)(
    'a search for garbage removes no temporary root, which somebody may be renewing',
    async () => {
      const [a] = outOf(await scene.instantiate(scene.source('a'))) as [StorePath]
      scene.expire()
      const garbage = await findGarbage(scene.machine, scene.layout.directory, { store: scene.store, signal })
      expect(garbage.paths.map(({ path }) => path)).toEqual([a])
      expect(readdirSync(scene.layout.roots)).toEqual([`temporary:${basename(a)}`])
      await scene.collect()
      expect(readdirSync(scene.layout.roots)).toEqual([])
    },
  )

  test.runIf(shell.inDepth)(
    'paths that a coordinator remembers as valid are made again after a collection',
    async () => {
      const [before] = outOf(await scene.instantiate(scene.source('a')))
      scene.expire()
      await scene.collect()
      const [after] = outOf(await scene.instantiate(scene.source('a')))
      expect([after, scene.registered()]).toEqual([before, names(before!)])
    },
  )

  test.runIf(shell.inDepth)('every generation of a profile keeps its closure until it is deleted', async () => {
    const [a, b] = await scene.store.addProfiles(
      ['a', 'b'].map((name) => ({ name, packages: [], profileManifest: `<${name}/>`, modules: new Map() })),
    )
    const deployer = await openMachine(async () => scene.connection)
    for (const path of [a!, b!]) {
      await setProfile(deployer, {
        target,
        profile,
        token: '-',
        path,
        generations: 'add',
        store: scene.store.reference,
      })
    }
    deployer.close()
    scene.expire()
    expect(await scene.collect()).toMatchObject({ paths: [], rubbish: [] })
    expect(await trimProfile(scene.machine, { target, profile }, [a!])).toBe(0)
    expect(await trimProfile(scene.machine, { target, profile: 'def' as ProfileName }, [])).toBe(0)
    expect(await trimProfile(scene.machine, { target, profile }, [])).toBe(1)
    expect((await scene.collect()).paths.map(({ path }) => path)).toEqual([a])
    expect(scene.registered()).toEqual(names(b!))
  })

  test.each([
    ['of active services keep what is needed to stop them', 'active/default'],
    ['from before a trial keep what is needed to go back', 'trials/default/before'],
  ])('records %s', async (_, place) => {
    const [a, b] = outOf(await scene.instantiate(scene.source('a'), scene.source('b'))) as [StorePath, StorePath]
    scene.expire()
    const record = join(scene.directory, 'state/targets/t1', place, 'process:key')
    mkdirSync(record, { recursive: true })
    writeFileSync(join(record, 'record'), `format 1\nmodule ${a}/libexec/x\npkg ${b}\nname web\n`)
    expect(await scene.collect()).toMatchObject({ paths: [], rubbish: [] })
    writeFileSync(join(record, 'record'), `format 1\npkg ${b}\n`)
    expect((await scene.collect()).paths.map(({ path }) => path)).toEqual([a])
  })

  test.runIf(shell.inDepth)('inputs and outputs of a derivation stay as long as the derivation', async () => {
    const input = build('input', 'echo input > $out')
    const packages = await scene.instantiate(build('top', 'cat $in > $out', { in: input }))
    await scene.realise(packages)
    const all = scene.registered()
    expect(all).toHaveLength(4)
    expect(await scene.collect()).toMatchObject({ paths: [], rubbish: [] })
    scene.expire()
    await scene.store.addRoot('generation-1', outOf(packages))
    const { paths } = await scene.collect()
    expect(scene.registered()).toEqual(names(...outOf(packages)))
    expect(paths).toHaveLength(3)
    expect(existsSync(join(scene.layout.logs, `${basename(paths[0]!.path)}.log`))).toBe(false)
  })

  test('files left half made or half removed go; unfinished builds stay', async () => {
    await scene.instantiate(scene.source('a'))
    const rubbish = (digit: string) => join(scene.layout.directory, `${digit.repeat(32)}-rubbish`)
    mkdirSync(join(rubbish('1'), 'read-only'), { recursive: true, mode: 0o500 })
    symlinkSync('nowhere', rubbish('2'))
    for (const digit of ['3', '4']) mkdirSync(rubbish(digit))
    writeFileSync(join(scene.layout.locks, basename(rubbish('3'))), '')
    const self = scene.machine.facts.helper
    symlinkSync(self, join(scene.layout.incoming, `build.${'4'.repeat(32)}.lock`))
    mkdirSync(join(scene.layout.directory, 'of somebody else'))
    const { rubbish: removed } = await scene.collect()
    expect(removed.map(({ path }) => path)).toEqual([rubbish('1'), rubbish('2')])
    expect(scene.inStore().filter((name) => /-rubbish$|^of/.test(name))).toHaveLength(3)
  })

  test.runIf(shell.inDepth)('paths that a helper reported stay until it ends', async () => {
    const [a, b] = outOf(await scene.instantiate(scene.source('a'), scene.source('b'))) as [StorePath, StorePath]
    scene.expire()
    const other = await openMachine(async () => shellConnection(shell, join(scene.directory, 'other')), {
      role: 'carry',
    })
    expect(await nativeTargetStore(other, scene.store).missing([a])).toEqual([])
    expect((await scene.collect()).paths.map(({ path }) => path)).toEqual([b])
    other.close()
    await until(async () => expect((await scene.collect()).paths).toHaveLength(1))
    expect(scene.registered()).toEqual([])
  })

  test.runIf(shell.inDepth)('a helper that was killed keeps nothing', async () => {
    const [a] = outOf(await scene.instantiate(scene.source('a'))) as [StorePath]
    scene.expire()
    const victim = shellConnection(shell, join(scene.directory, 'other'))
    const other = await openMachine(async () => victim, { role: 'carry' })
    await nativeTargetStore(other, scene.store).missing([a])
    for (const pid of victim.pids) process.kill(pid, 'SIGKILL')
    await until(async () => expect((await scene.collect()).paths).toHaveLength(1))
  })

  test.runIf(shell.inDepth)(
    'nothing is sent that refers to a collected path, and no collected path is protected',
    async () => {
      const [a] = outOf(await scene.instantiate(scene.source('a'))) as [StorePath]
      const [top] = await scene.store.addProfiles([
        { name: 't', packages: [a], profileManifest: '', modules: new Map() },
      ])
      const there = {
        ...scene.store,
        reference: { kind: 'native', directory: join(scene.directory, 'there') },
      } as const
      const carrier = await openMachine(async () => scene.connection, { role: 'carry' })
      const other = nativeTargetStore(carrier, there)
      await expect(other.send([top!], { signal })).rejects.toMatchObject({ code: 'collected' })
      expect(readdirSync(join(scene.directory, 'there'))).toEqual(['.davit'])
      await expect(other.protect([a])).rejects.toMatchObject({ code: 'collected' })
      await other.send([a, top!], { signal })
      await other.protect([a])
      carrier.close()
    },
  )

  testCalls(shell, 'native-collect')
})
