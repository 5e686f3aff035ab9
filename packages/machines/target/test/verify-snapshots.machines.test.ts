import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync as readlink,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

import type { TargetName } from '@davit/documents'
import { notingShells } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterAll, describe, expect, test } from 'vitest'

import {
  cleanSnapshots,
  copySnapshot,
  discardAside,
  findSnapshot,
  listSnapshots,
  noteVerified,
  storeAside,
  verifySnapshot,
} from '../src/target.ts'
import { Keeper, treeOf } from './keeper.ts'
import { closeScenes } from './scene.ts'
import { testCalls } from './functions.ts'

afterAll(closeScenes)

const { signal } = new AbortController()
const TARGET = 't1' as TargetName
const ACTIVITIES = ['snapshot', 'restore', 'verify', 'collect-garbage']
/** Loads the snapshot aside, and says what it was given. */
const VERIFYING = `case $1 in
  snapshot) ln -s "$D/data" "$DAVIT_SNAPSHOT/state" ;;
  verify) echo "$2 $3 $port" >"$D/called"; cp -R "$DAVIT_SNAPSHOT/state" "$D/loaded" && diff -r "$D/data" "$D/loaded"; end=$?; rm -rf "$D/loaded"; exit "$end" ;;
esac`

async function openKeeper(shell: Parameters<typeof Keeper.open>[0], activities?: readonly string[]) {
  const keeper = await Keeper.open(shell)
  if (activities !== undefined) keeper.scene.module(VERIFYING, activities)
  writeFileSync(keeper.path('file'), 'content')
  expect(await keeper.perform('snapshot')).toEqual({ kind: 'succeeded' })
  const latest = async () => (await findSnapshot(keeper.store, keeper.component))!
  const verify = async (more: Parameters<Keeper['request']>[1] = {}) => {
    const { name } = await latest()
    return verifySnapshot(keeper.machine, { ...keeper.request('verify', more), snapshot: name })
  }
  const incoming = () => {
    const place = join(keeper.snapshots, 'incoming')
    return existsSync(place) ? readdirSync(place) : []
  }
  return { keeper, latest, verify, incoming }
}

/** Alters the last archive of a snapshot in place. */
function rot(keeper: Keeper, name: string): void {
  const directory = join(keeper.snapshots, 'snapshots/process/web', name)
  const archive = join(
    directory,
    readdirSync(directory)
      .filter((file) => file.includes('.tar'))
      .at(-1)!,
  )
  const content = readFileSync(archive)
  content[content.length >> 1]! ^= 255
  chmodSync(archive, 0o600)
  writeFileSync(archive, content)
}

describe.each(notingShells())('a snapshot is verified on a machine with $name', (shell) => {
  test('by its module, which loads it aside, and nothing else changes', async () => {
    const { keeper, verify, incoming } = await openKeeper(shell, ACTIVITIES)
    keeper.mark('garbage')
    const before = treeOf(keeper.snapshots)
    const properties = new Map([['port', '80']])
    const { definition } = keeper.request('verify')
    expect(await verify({ definition: { ...definition, properties } })).toEqual({ kind: 'verified', how: 'loaded' })
    expect(keeper.scene.read('called')).toBe('/store/00000000000000000000000000000000-web process 80\n')
    expect(incoming()).toEqual([])
    expect(treeOf(keeper.snapshots).filter((line) => !line.startsWith('/incoming '))).toEqual(
      before.filter((line) => !line.startsWith('/incoming ')),
    )
    writeFileSync(keeper.path('file'), 'other')
    expect(await verify()).toMatchObject({
      kind: 'refuted',
      message: 'its module ended with status 1',
      log: expect.stringMatching(/^[>+] ?content$/m) as string,
    })
    expect([keeper.scene.has('loaded'), incoming()]).toEqual([false, []])
  })

  test.runIf(shell.inDepth)(
    'by its content if its module cannot load it, as it does not say, or says it has no such activity',
    async () => {
      for (const activities of [undefined, ACTIVITIES.filter((name) => name !== 'verify')]) {
        // oxlint-disable-next-line no-await-in-loop
        const { keeper, verify, incoming } = await openKeeper(shell, activities)
        mkdirSync(keeper.path('closed'))
        writeFileSync(keeper.path('closed/file'), 'x')
        chmodSync(keeper.path('closed'), 0o500)
        // oxlint-disable-next-line no-await-in-loop
        await keeper.perform('snapshot')
        keeper.scene.module('echo "$1" >>"$D/called"', activities)
        // oxlint-disable-next-line no-await-in-loop
        expect(await verify()).toEqual({ kind: 'verified', how: 'content' })
        expect([keeper.scene.has('called'), incoming()]).toEqual([false, []])
        chmodSync(keeper.path('closed'), 0o700)
      }
    },
  )

  test.runIf(shell.inDepth)('and refuted if a disk has altered it, which leaves it where it is', async () => {
    const { keeper, latest, verify, incoming } = await openKeeper(shell, ACTIVITIES)
    const { name } = await latest()
    rot(keeper, name)
    expect(await verify()).toMatchObject({
      kind: 'refuted',
      message: 'it is damaged',
      log: expect.stringContaining('was altered') as string,
    })
    expect([keeper.scene.has('called'), await keeper.names(), incoming()]).toEqual([false, [name], []])
    await noteVerified(keeper.store, await latest(), { how: 'failed', target: TARGET })
    expect((await latest()).facts).toMatchObject({ verifiedHow: 'failed' })
    // An intact one takes its place, and has not failed.
    expect(await keeper.perform('snapshot')).toMatchObject({ kind: 'succeeded', damage: expect.any(String) as string })
    expect((await latest()).name).toBe(name)
    expect((await latest()).facts.verifiedHow).toBeUndefined()
    expect(await verify()).toEqual({ kind: 'verified', how: 'loaded' })
  })

  test.runIf(shell.inDepth)(
    'or nothing is found out: it is gone, has no checksum, took too long, or was cut off',
    async () => {
      const { keeper, latest, verify, incoming } = await openKeeper(shell, ACTIVITIES)
      const ask = (snapshot: string) => verifySnapshot(keeper.machine, { ...keeper.request('verify'), snapshot })
      expect(await ask('f'.repeat(64))).toMatchObject({ kind: 'unknown' })
      const foreign = join(keeper.snapshots, 'snapshots/process/web/abc')
      mkdirSync(foreign)
      writeFileSync(join(foreign, 'dump'), 'dumped')
      expect(await ask('abc')).toMatchObject({
        kind: 'unknown',
        message: expect.stringMatching(/^nothing tells/) as string,
      })
      keeper.scene.module('touch "$D/hangs"; hold', ACTIVITIES)
      expect(await verify({ timeoutSeconds: 3 })).toMatchObject({
        kind: 'unknown',
        message: expect.stringContaining('3 s') as string,
      })
      rmSync(keeper.scene.path('hangs'))
      const cut = verify()
      await until(() => keeper.scene.has('hangs'))
      const busy = keeper.scene.path('state/targets/t1/busy/process:web')
      for (const claim of ['running', 'module']) {
        const [pid] = /^\d+/.exec(readlink(join(busy, claim))) ?? []
        process.kill(Number(pid), 'SIGKILL')
      }
      expect(await cut).toMatchObject({ kind: 'unknown' })
      expect(incoming()).toHaveLength(1)
      expect((await latest()).facts.verified).toBeUndefined()
      keeper.scene.module(VERIFYING, ACTIVITIES)
      expect(await verify()).toEqual({ kind: 'verified', how: 'loaded' })
      expect(incoming()).toEqual([])
    },
  )

  test('aside on another machine, where it becomes no snapshot of anything', async () => {
    const here = await openKeeper(shell, ACTIVITIES)
    const there = await openKeeper(shell, ACTIVITIES)
    writeFileSync(there.keeper.path('file'), 'its own')
    await there.keeper.perform('snapshot')
    const before = await there.keeper.names()
    writeFileSync(here.keeper.path('file'), 'its own')
    const snapshot = await here.latest()
    const origin = { profile: here.keeper.scene.profile, from: TARGET, ...here.keeper.component }
    const aside = storeAside(there.keeper.machine, TARGET, origin)
    const verifying = there.keeper.scene.path('state/targets/t1/verifying')
    const ask = async () => {
      await copySnapshot(here.keeper.store, [{ store: aside }], { snapshot, signal })
      expect(await listSnapshots(aside)).toHaveLength(1)
      const request = { ...there.keeper.request('verify'), snapshot: snapshot.name, aside: aside.name }
      return verifySnapshot(there.keeper.machine, request)
    }
    expect(await ask()).toMatchObject({ kind: 'refuted', log: expect.stringMatching(/^[>+] ?content$/m) as string })
    expect(readdirSync(verifying)).toEqual([])
    writeFileSync(there.keeper.path('file'), 'content')
    expect(await ask()).toEqual({ kind: 'verified', how: 'loaded' })
    expect([readdirSync(verifying), await there.keeper.names()]).toEqual([[], before])
    await copySnapshot(here.keeper.store, [{ store: aside }], { snapshot, signal })
    await discardAside(aside, TARGET)
    expect(readdirSync(verifying)).toEqual([])
  })

  test.runIf(shell.inDepth)(
    'and what was found stays with it: taken again, copied, and until it is removed',
    async () => {
      const { keeper, latest } = await openKeeper(shell, ACTIVITIES)
      const copy = { machine: keeper.machine, place: 'coordinator/default/snapshots/t1' }
      const send = async () => copySnapshot(keeper.store, [{ store: copy }], { snapshot: await latest(), signal })
      const copied = async () => (await findSnapshot(copy, keeper.component))?.facts
      const VERIFIED = {
        verified: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string,
        verifiedHow: 'loaded',
        verifiedOn: 't1',
      }
      await send()
      expect((await copied())?.verified).toBeUndefined()
      await noteVerified(keeper.store, await latest(), { how: 'content', target: TARGET })
      await noteVerified(keeper.store, await latest(), { how: 'loaded', target: TARGET })
      const { facts } = await latest()
      expect(facts).toMatchObject({ ...VERIFIED, taken: expect.any(String) as string, service: 'web' })
      await keeper.perform('snapshot')
      expect((await latest()).facts).toMatchObject(VERIFIED)
      await send()
      expect(await copied()).toEqual((await latest()).facts)
      // What was found later stays.
      const file = join(
        keeper.scene.path('state/coordinator/default/snapshots/t1/dysnomia/facts/process/web'),
        (await latest()).name,
      )
      writeFileSync(
        file,
        readFileSync(file, 'utf8')
          .replace(/verified \d+/, 'verified 9999')
          .replace('loaded', 'failed'),
      )
      await send()
      expect(await copied()).toMatchObject({ verifiedHow: 'failed', taken: (await latest()).facts.taken })
      const { name } = await latest()
      await cleanSnapshots(keeper.store, () => true, { keep: 0, mode: 'remove' })
      expect(readdirSync(join(keeper.snapshots, 'facts/process/web'))).toEqual([])
      await noteVerified(
        keeper.store,
        { ...keeper.component, name, generation: 1, facts: {} },
        { how: 'loaded', target: TARGET },
      )
      expect(readdirSync(join(keeper.snapshots, 'facts/process/web'))).toEqual([])
    },
  )

  test.runIf(shell.inDepth)(
    'if Dysnomia has taken it, when only that is known, and if it was taken later',
    async () => {
      const { keeper, latest } = await openKeeper(shell)
      const add = `mkdir -p "$S/snapshots/process/web/abc" "$S/generations/process/web" && echo x >"$S/snapshots/process/web/abc/dump" &&
      ln -sfn ../../../snapshots/process/web/abc "$S/generations/process/web/9"`
      keeper.scene.module(`S=$DYSNOMIA_STATEDIR; [ "$1" != snapshot ] || { ${add}; }`)
      const place = join(keeper.snapshots, 'snapshots/process/web/abc')
      mkdirSync(place)
      symlinkSync('../../../snapshots/process/web/abc', join(keeper.snapshots, 'generations/process/web/9'))
      await noteVerified(keeper.store, await latest(), { how: 'content', target: TARGET })
      expect((await latest()).facts).toEqual({
        verified: expect.any(String) as string,
        verifiedHow: 'content',
        verifiedOn: 't1',
      })
      await keeper.perform('snapshot')
      expect((await latest()).facts).toMatchObject({ taken: expect.any(String) as string, verifiedHow: 'content' })
    },
  )

  testCalls(shell, 'verify-snapshots')
})
