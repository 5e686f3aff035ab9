import { spawnSync } from 'node:child_process'
import {
  existsSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

import { DavitError } from '@davit/diagnostics'
import type { InstantiatedPackage, PackageSpec, ProfileName, StorePath, TargetName } from '@davit/documents'
import { removeTree } from '@davit/files'
import { encodeProcessReference, environment, processReference } from '@davit/process'
import { currentSystem, type NativeStore, openNativeStore, type StoreLayout, storeLayout } from '@davit/store'
import { type ShellConnection, shellConnection } from '@davit/connection/testing'
import { installedShells } from '@davit/testing/shells'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import { nativeTargetStore } from '../src/native/native-target-store.ts'
import { collectGarbage, findGarbage, type Machine, openMachine, setProfile, trimProfile } from '../src/target.ts'

const { signal } = new AbortController()
const A_DAY_AND_A_MINUTE = (24 * 60 + 1) * 60_000
const target = 't1' as TargetName
const profile = 'default' as ProfileName

describe.each(installedShells())('on a machine with $name', (shell) => {
  let directory: string
  let connection: ShellConnection
  let machine: Machine<'collect'>
  let store: NativeStore
  let layout: StoreLayout

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'davit-collect-'))
    connection = shellConnection(shell, join(directory, 'state'))
    machine = await openMachine(async () => connection, { role: 'collect' })
    layout = storeLayout(join(directory, 'store'))
    store = await open()
  })
  afterEach(() => {
    machine.close()
    removeTree(directory)
  })

  const open = () =>
    openNativeStore({ directory: layout.directory, environment: environment(), isolation: { kind: 'none' } })
  const system = currentSystem(environment())
  const instantiate = async (...specs: readonly PackageSpec[]): Promise<readonly InstantiatedPackage[]> =>
    store.instantiate(specs.map((spec) => ({ spec, system, wantedBy: { service: 'web' as never } })))
  const source = (name: string): PackageSpec => {
    writeFileSync(join(directory, name), `content of ${name}`)
    return { kind: 'source', path: join(directory, name) }
  }
  const build = (name: string, script: string, inputs: Readonly<Record<string, PackageSpec>> = {}): PackageSpec => ({
    kind: 'build',
    name,
    script,
    env: new Map(),
    sources: new Map(),
    inputs: new Map(Object.entries(inputs)),
    network: false,
  })
  const realise = (packages: readonly InstantiatedPackage[]) => store.realise(packages, { report: () => {}, signal })
  /** Ends the protection of all paths. */
  const expire = () => {
    const old = new Date(Date.now() - A_DAY_AND_A_MINUTE)
    for (const root of readdirSync(layout.roots).filter((name) => name.startsWith('temporary:'))) {
      const link = join(layout.roots, root)
      // A collection may be removing it.
      spawnSync('touch', ['-h', '-c', '-d', old.toISOString(), link])
    }
  }
  const collect = () => collectGarbage(machine, layout.directory, { store, signal })
  const inStore = () =>
    readdirSync(layout.directory)
      .filter((name) => name !== '.davit')
      .toSorted()
  const registered = () =>
    readdirSync(layout.registrations)
      .map((name) => name.replace(/\.json$/, ''))
      .toSorted()
  const names = (...paths: readonly StorePath[]) => paths.map((path) => basename(path)).toSorted()
  const outOf = (packages: readonly InstantiatedPackage[]) => packages.map(({ outPath }) => outPath)

  test('what roots need stays, the rest goes, and a dry run only reports it', async () => {
    const [a, b, c] = outOf(await instantiate(source('a'), source('b'), source('c'))) as [
      StorePath,
      StorePath,
      StorePath,
    ]
    const [referring] = await store.addProfiles([
      { name: 't1', packages: [a], profileManifest: '<x/>', modules: new Map() },
    ])
    await store.addRoot('generation-1', [referring!])
    expect(await collect()).toMatchObject({ paths: [], rubbish: [] })
    await store.protect([c])
    expire()
    await store.protect([c])
    const garbage = await findGarbage(machine, layout.directory, { store, signal })
    expect(garbage.paths.map(({ path }) => path)).toEqual([b])
    expect(garbage.paths[0]?.bytes).toBeGreaterThan(10)
    expect(registered()).toEqual(names(a, b, c, referring!))
    expect(await collect()).toEqual(garbage)
    expect(registered()).toEqual(names(a, c, referring!))
    expect(inStore()).toEqual(registered())
    expect(await (await open()).invalidPaths([a, b, c])).toEqual([b])
    expect(readdirSync(layout.incoming)).toEqual([])
    await store.removeRoot('generation-1')
    const { paths } = await collect()
    expect(paths.map(({ path }) => path)).toEqual([referring, a])
  })

  test('protected paths are reported, and on request collected if nobody needs them', async () => {
    const [a, b, c] = outOf(await instantiate(source('a'), source('b'), source('c'))) as [
      StorePath,
      StorePath,
      StorePath,
    ]
    const hoursAgo = (path: StorePath, hours: number) => {
      const time = new Date(Math.floor(Date.now() / 1000 - hours * 3600) * 1000)
      lutimesSync(join(layout.roots, `temporary:${basename(path)}`), time, time)
      return new Date(time.getTime() + 24 * 3_600_000)
    }
    const [first, last] = [hoursAgo(a, 20), hoursAgo(b, 2)]
    await store.addRoot('generation-1', [c])
    hoursAgo(c, 23)
    const now = (options = {}) =>
      collectGarbage(machine, layout.directory, { store, signal, leftovers: 'collect', ...options })
    const { paths, kept } = await collect()
    expect([paths, kept.paths.map(({ path }) => path).toSorted()]).toEqual([[], [a, b].toSorted()])
    expect(kept.until).toEqual([first, last])
    // Their owner, this process, lives.
    expect((await now()).paths).toEqual([])
    rmSync(join(layout.directory, '.davit/needed'), { recursive: true })
    const lock = join(directory, 'state/targets/t1/lock/default')
    mkdirSync(lock, { recursive: true })
    writeFileSync(join(lock, 'holder'), `token x\nowner y\nrenewed ${Math.floor(Date.now() / 1000)}\nlease 600\n`)
    expect((await now()).paths).toEqual([])
    rmSync(lock, { recursive: true })
    await store.protect([b])
    rmSync(join(layout.directory, '.davit/needed'), { recursive: true })
    const ahead = await findGarbage(machine, layout.directory, { store, signal, leftovers: 'collect' })
    expect([ahead.paths.map(({ path }) => path), ahead.kept.paths.map(({ path }) => path)]).toEqual([[a], [b]])
    expect(registered()).toEqual(names(a, b, c))
    expect((await now()).paths.map(({ path }) => path)).toEqual([a])
    expect([registered(), existsSync(join(layout.roots, `temporary:${basename(a)}`))]).toEqual([names(b, c), false])
  })

  test.runIf(shell.inDepth)(
    'a search for garbage removes no temporary root, which somebody may be renewing',
    async () => {
      const [a] = outOf(await instantiate(source('a'))) as [StorePath]
      expire()
      const garbage = await findGarbage(machine, layout.directory, { store, signal })
      expect(garbage.paths.map(({ path }) => path)).toEqual([a])
      expect(readdirSync(layout.roots)).toEqual([`temporary:${basename(a)}`])
      await collect()
      expect(readdirSync(layout.roots)).toEqual([])
    },
  )

  test.runIf(shell.inDepth)(
    'paths that a coordinator remembers as valid are made again after a collection',
    async () => {
      const [before] = outOf(await instantiate(source('a')))
      expire()
      await collect()
      const [after] = outOf(await instantiate(source('a')))
      expect([after, registered()]).toEqual([before, names(before!)])
    },
  )

  test('every generation of a profile keeps its closure until it is deleted', async () => {
    const [a, b] = await store.addProfiles(
      ['a', 'b'].map((name) => ({ name, packages: [], profileManifest: `<${name}/>`, modules: new Map() })),
    )
    const deployer = await openMachine(async () => connection)
    for (const path of [a!, b!]) {
      await setProfile(deployer, { target, profile, token: '-', path, generations: 'add', store: store.reference })
    }
    deployer.close()
    expire()
    expect(await collect()).toMatchObject({ paths: [], rubbish: [] })
    expect(await trimProfile(machine, { target, profile }, [a!])).toBe(0)
    expect(await trimProfile(machine, { target, profile: 'def' as ProfileName }, [])).toBe(0)
    expect(await trimProfile(machine, { target, profile }, [])).toBe(1)
    expect((await collect()).paths.map(({ path }) => path)).toEqual([a])
    expect(registered()).toEqual(names(b!))
  })

  test('records of active services keep what is needed to stop them', async () => {
    const [a, b] = outOf(await instantiate(source('a'), source('b'))) as [StorePath, StorePath]
    expire()
    const record = join(directory, 'state/targets/t1/active/default/process:key')
    mkdirSync(record, { recursive: true })
    writeFileSync(join(record, 'record'), `format 1\nmodule ${a}/libexec/x\npkg ${b}\nname web\n`)
    expect(await collect()).toMatchObject({ paths: [], rubbish: [] })
    writeFileSync(join(record, 'record'), `format 1\npkg ${b}\n`)
    expect((await collect()).paths.map(({ path }) => path)).toEqual([a])
  })

  test.runIf(shell.inDepth)('inputs and outputs of a derivation stay as long as the derivation', async () => {
    const input = build('input', 'echo input > $out')
    const packages = await instantiate(build('top', 'cat $in > $out', { in: input }))
    await realise(packages)
    const all = registered()
    expect(all).toHaveLength(4)
    expect(await collect()).toMatchObject({ paths: [], rubbish: [] })
    expire()
    await store.addRoot('generation-1', outOf(packages))
    const { paths } = await collect()
    expect(registered()).toEqual(names(...outOf(packages)))
    expect(paths).toHaveLength(3)
    expect(existsSync(join(layout.logs, `${basename(paths[0]!.path)}.log`))).toBe(false)
  })

  test('files left half made or half removed go; unfinished builds stay', async () => {
    await instantiate(source('a'))
    const rubbish = (digit: string) => join(layout.directory, `${digit.repeat(32)}-rubbish`)
    mkdirSync(join(rubbish('1'), 'read-only'), { recursive: true, mode: 0o500 })
    symlinkSync('nowhere', rubbish('2'))
    for (const digit of ['3', '4']) mkdirSync(rubbish(digit))
    writeFileSync(join(layout.locks, basename(rubbish('3'))), '')
    const self = machine.facts.helper
    symlinkSync(self, join(layout.incoming, `build.${'4'.repeat(32)}.lock`))
    mkdirSync(join(layout.directory, 'of somebody else'))
    const { rubbish: removed } = await collect()
    expect(removed.map(({ path }) => path)).toEqual([rubbish('1'), rubbish('2')])
    expect(inStore().filter((name) => /-rubbish$|^of/.test(name))).toHaveLength(3)
  })

  test('paths that a helper reported stay until it ends', async () => {
    const [a, b] = outOf(await instantiate(source('a'), source('b'))) as [StorePath, StorePath]
    expire()
    const other = await openMachine(async () => shellConnection(shell, join(directory, 'other')), { role: 'carry' })
    expect(await nativeTargetStore(other, store).missing([a])).toEqual([])
    expect((await collect()).paths.map(({ path }) => path)).toEqual([b])
    other.close()
    await vi.waitFor(async () => expect((await collect()).paths).toHaveLength(1), { timeout: 40_000 })
    expect(registered()).toEqual([])
  })

  test.runIf(shell.inDepth)('a helper that was killed keeps nothing', async () => {
    const [a] = outOf(await instantiate(source('a'))) as [StorePath]
    expire()
    const victim = shellConnection(shell, join(directory, 'other'))
    const other = await openMachine(async () => victim, { role: 'carry' })
    await nativeTargetStore(other, store).missing([a])
    for (const pid of victim.pids) process.kill(pid, 'SIGKILL')
    await vi.waitFor(async () => expect((await collect()).paths).toHaveLength(1), { timeout: 40_000 })
  })

  test.runIf(shell.inDepth)(
    'nothing is sent that refers to a collected path, and no collected path is protected',
    async () => {
      const [a] = outOf(await instantiate(source('a'))) as [StorePath]
      const [top] = await store.addProfiles([{ name: 't', packages: [a], profileManifest: '', modules: new Map() }])
      const there = { ...store, reference: { kind: 'native', directory: join(directory, 'there') } } as const
      const carrier = await openMachine(async () => connection, { role: 'carry' })
      const other = nativeTargetStore(carrier, there)
      await expect(other.send([top!], { signal })).rejects.toMatchObject({ code: 'collected' })
      expect(readdirSync(join(directory, 'there'))).toEqual(['.davit'])
      await expect(other.protect([a])).rejects.toMatchObject({ code: 'collected' })
      await other.send([a, top!], { signal })
      await other.protect([a])
      carrier.close()
    },
  )

  test.runIf(shell.inDepth)('waits for coordinators that change the store, and they for it', async () => {
    const [a] = outOf(await instantiate(source('a'))) as [StorePath]
    expire()
    // Like the claim of a helper at work.
    symlinkSync(machine.facts.helper, join(layout.directory, '.davit/commit'))
    let isDone = false
    const adding = store.protect([a]).then(
      () => (isDone = true),
      (error: unknown) => error,
    )
    const other = await openMachine(async () => shellConnection(shell, join(directory, 'other')), { role: 'collect' })
    const collecting = collectGarbage(other, layout.directory, { store, signal })
    expect([isDone, registered()]).toEqual([false, names(a)])
    rmSync(join(layout.directory, '.davit/commit'))
    // Whichever comes first, the other one notices.
    const added = await adding
    expect((await collecting).paths).toHaveLength(added === true ? 0 : 1)
    expect(added === true || (added instanceof DavitError && added.code === 'invalid-path')).toBe(true)
    expect(registered()).toEqual(added === true ? names(a) : [])
    other.close()
  })

  test.runIf(shell.inDepth)('waits for a coordinator that has begun, but not for a dead one', async () => {
    await instantiate(source('a'))
    expire()
    const here = processReference()
    const [alive, dead] = [here, { ...here, startTime: here.startTime - 1 }].map((one) =>
      join(layout.incoming, `${encodeProcessReference(one)}-commit-0`),
    ) as [string, string]
    for (const marker of [alive, dead]) mkdirSync(marker)
    let isDone = false
    const collecting = collect().then(() => (isDone = true))
    await vi.waitFor(() => expect(readdirSync(join(layout.directory, '.davit'))).toContain('commit'), {
      timeout: 40_000,
    })
    // Longer than the pause between two looks.
    const other = await openMachine(async () => connection)
    other.close()
    expect([isDone, registered().length]).toEqual([false, 1])
    rmdirSync(alive)
    await collecting
    expect(registered()).toEqual([])
  })

  test.runIf(shell.inDepth)('packages made at the same time are complete afterwards', async () => {
    const stop = new AbortController()
    const collecting = (async () => {
      while (!stop.signal.aborted) await collect()
    })()
    let last: readonly StorePath[] = []
    await store.protect([])
    try {
      for (let round = 0; round < 6; round += 1) {
        expire()
        // What only every other round needs is collected and made again.
        const some = round % 2 === 0 ? [source('shared'), source(`own-${round}`)] : [source(`own-${round}`)]
        const packages = outOf(await instantiate(...some))
        last = await store.addProfiles([{ name: 'p', packages, profileManifest: `${round}`, modules: new Map() }])
        await store.addRoot('generation-1', last)
        expect(await (await open()).closure(last)).toHaveLength(packages.length + 1)
      }
    } finally {
      stop.abort()
      await collecting
    }
    expire()
    await collect()
    expect(await (await open()).closure(last)).toHaveLength(2)
    expect(registered()).toHaveLength(2)
  })

  test.runIf(shell.inDepth)('computes the garbage again when what is kept has changed', async () => {
    const [a, b] = outOf(await instantiate(source('a'), source('b'))) as [StorePath, StorePath]
    const [{ derivation }] = (await instantiate(build('x', ':'))) as [InstantiatedPackage]
    expire()
    let rounds = 0
    const outputs: NativeStore['outputs'] = (derivations) => {
      rounds += 1
      // After the survey, and before anything is removed.
      if (rounds === 1) symlinkSync(b, join(layout.roots, `late:${basename(b)}`))
      return store.outputs(derivations)
    }
    const { paths } = await collectGarbage(machine, layout.directory, { store: { ...store, outputs }, signal })
    expect([rounds, registered()]).toEqual([2, names(b)])
    expect(names(...paths.map(({ path }) => path))).toEqual(names(a, derivation!))
  })

  test.runIf(shell.inDepth)(
    'killed at any moment, it leaves a consistent store, and the next one finishes the work',
    async () => {
      const sources = Array.from({ length: 8 }, (_, index) => source(`s${index}`))
      for (const stop of [1, 2, 3]) {
        const paths = outOf(await instantiate(...sources))
        const [top] = await store.addProfiles([{ name: 't', packages: paths, profileManifest: '', modules: new Map() }])
        expire()
        const victim = shellConnection(shell, join(directory, 'state'))
        const other = await openMachine(async () => victim, { role: 'collect' })
        const collecting = collectGarbage(other, layout.directory, { store, signal }).catch(() => {})
        // At some moment between the survey and the end.
        await vi.waitFor(() => expect(changes(stop)).toBe(true), { timeout: 40_000, interval: 1 })
        for (const pid of victim.pids) kill(pid)
        await collecting
        other.close()
        const fresh = await open()
        for (const name of registered()) {
          const [registration] = await fresh.registrations([`${layout.directory}/${name}` as StorePath])
          expect(await fresh.invalidPaths(registration!.references)).toEqual([])
        }
        await collect()
        expect([registered(), inStore(), readdirSync(layout.incoming)]).toEqual([[], [], []])
        store = await open()
        expect(await store.invalidPaths([top!])).toEqual([top])
      }
    },
  )

  /** Whether the collection has reached a stage: none, registrations gone, trees gone. */
  const changes = (stage: number) =>
    stage === 1 || (stage === 2 ? registered().length < 9 : inStore().length < 9 || registered().length < 9)

  test.runIf(shell.inDepth)('a build during a collection succeeds, and keeps its inputs', async () => {
    const [kept] = outOf(await instantiate(source('kept'))) as [StorePath]
    expire()
    const input = build('input', 'echo input > $out')
    await realise(await instantiate(input))
    const go = join(directory, 'go')
    const script = `until [ -e ${go} ]; do sleep 0.01; done; cat $in > $out`
    const packages = await instantiate(build('slow', script, { in: input }))
    const building = realise(packages)
    await vi.waitFor(() => expect(readdirSync(layout.locks)).toHaveLength(1), { timeout: 40_000 })
    // As after a build of more than a day.
    expire()
    const { paths } = await collect()
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
