import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { notingShells } from '@davit/testing/shells'
import { afterAll, describe, expect, test } from 'vitest'

import { acquireLock, cleanSnapshots, copySnapshot, findSnapshot, listSnapshots, readStateMark } from '../src/target.ts'
import { Keeper, treeOf } from './keeper.ts'
import { closeScenes, SERVICE } from './scene.ts'
import { testCalls } from './functions.ts'

afterAll(closeScenes)

const { signal } = new AbortController()
const SUCCEEDED = { kind: 'succeeded' }

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

describe.each(notingShells())('snapshots on a machine with $name', (shell) => {
  // bash uses the same utilities as dash.
  const isNew = shell.inDepth || shell.name !== 'bash'

  test('are taken once of equal state, build on each other, and are restored exactly', async () => {
    const keeper = await Keeper.open(shell)
    const write = (name: string, text: string) => writeFileSync(keeper.path(name), text)
    mkdirSync(keeper.path('a directory'))
    mkdirSync(keeper.path('empty'), { mode: 0o750 })
    write('a directory/it\'s $HOME \\ "odd"', 'odd')
    write('-rf', 'dash')
    write('big', 'x'.repeat(200_000))
    write('run.sh', '#!/bin/sh')
    chmodSync(keeper.path('run.sh'), 0o750)
    symlinkSync('no such place', keeper.path('link'))
    symlinkSync('../any where/\\else', keeper.path('a directory/link'))
    expect(await keeper.perform('snapshot')).toEqual(SUCCEEDED)
    expect(await keeper.perform('snapshot')).toEqual(SUCCEEDED)
    const [first, ...none] = await keeper.names()
    expect([first, none]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), []])
    const before = treeOf(keeper.data)

    write('big', 'y'.repeat(10))
    rmSync(keeper.path('-rf'))
    rmSync(keeper.path('link'))
    mkdirSync(keeper.path('link'))
    write('new', 'new')
    expect(await keeper.perform('snapshot')).toEqual(SUCCEEDED)
    write('newer', 'newer')
    rmSync(keeper.path('run.sh'))
    expect(await keeper.perform('snapshot')).toEqual(SUCCEEDED)
    const names = await keeper.names()
    expect(names).toHaveLength(3)
    const archives = readdirSync(join(keeper.snapshots, 'snapshots/process/web', names[2] ?? ''))
    expect(archives.filter((name) => name.includes('.tar'))).toHaveLength(2)
    const after = treeOf(keeper.data)

    rmSync(keeper.data, { recursive: true })
    expect(await keeper.perform('restore')).toEqual(SUCCEEDED)
    expect(treeOf(keeper.data)).toEqual(after)
    expect(await keeper.perform('restore', { snapshot: first })).toEqual(SUCCEEDED)
    expect(treeOf(keeper.data)).toEqual(before)
    expect((await keeper.names()).at(-1)).toBe(first)
    expect(readdirSync(join(keeper.snapshots, 'incoming'))).toEqual([])
  })

  test.runIf(isNew)('that add to one with a link that was removed since are restored without it', async () => {
    const keeper = await Keeper.open(shell)
    for (const name of ['kept', 'removed']) symlinkSync('no such place', keeper.path(name))
    expect(await keeper.perform('snapshot')).toEqual(SUCCEEDED)
    rmSync(keeper.path('removed'))
    writeFileSync(keeper.path('new'), 'new')
    expect(await keeper.perform('snapshot')).toEqual(SUCCEEDED)
    const before = treeOf(keeper.data)
    expect(await keeper.perform('restore')).toEqual(SUCCEEDED)
    expect(treeOf(keeper.data)).toEqual(before)
  })

  test.runIf(isNew)('are named by checksums, even if openssl prints something else', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'davit-openssl-'))
    writeFileSync(join(directory, 'openssl'), '#!/bin/sh\ncat >/dev/null\necho "0123 *stdin"\n', { mode: 0o755 })
    for (const path of [shell.path, `${directory}:${shell.path}`]) {
      const keeper = await Keeper.open({ ...shell, path })
      writeFileSync(keeper.path('file'), 'text')
      expect(await keeper.perform('snapshot')).toEqual(SUCCEEDED)
      const [name = ''] = await keeper.names()
      const snapshot = join(keeper.snapshots, 'snapshots/process/web', name)
      const archive = readdirSync(snapshot).find((file) => file.includes('.tar')) ?? ''
      const listing = readFileSync(join(snapshot, 'listing'), 'utf8')
      expect(name).toBe(sha256(listing))
      expect(listing).toContain(`\n${sha256('text')} `)
      expect(archive).toContain(`-${sha256(readFileSync(join(snapshot, archive)))}.tar`)
    }
    rmSync(directory, { recursive: true })
  })

  test.runIf(isNew)('keep what took the place of something else that had gone before', async () => {
    const keeper = await Keeper.open(shell)
    const put = async (what: () => void) => {
      rmSync(keeper.path('way'), { recursive: true, force: true })
      expect(await keeper.perform('snapshot')).toEqual(SUCCEEDED)
      what()
      expect(await keeper.perform('snapshot')).toEqual(SUCCEEDED)
      const before = treeOf(keeper.data)
      expect(await keeper.perform('restore')).toEqual(SUCCEEDED)
      expect(treeOf(keeper.data)).toEqual(before)
    }
    mkdirSync(keeper.path('kept'))
    symlinkSync('/no/such/place', keeper.path('kept/link'))
    await put(() => {
      mkdirSync(keeper.path('way'))
      writeFileSync(keeper.path('way/x'), 'x')
    })
    await put(() => symlinkSync('kept', keeper.path('way')))
    await put(() => writeFileSync(keeper.path('way'), 'way'))
  })

  test('travel to another machine, of which only what it lacks', async () => {
    const [here, there] = [await Keeper.open(shell), await Keeper.open(shell)]
    writeFileSync(here.path('big'), Buffer.alloc(300_000, 'abc'))
    await here.perform('snapshot', { compressor: 'none' })
    const send = async () => {
      const snapshot = await findSnapshot(here.store, here.component)
      if (snapshot === undefined) throw new Error('there is no snapshot')
      return copySnapshot(here.store, [{ store: there.store }], { snapshot, signal })
    }
    expect(await send()).toBeGreaterThan(300_000)
    expect(await send()).toBe(0)
    writeFileSync(here.path('small'), 'small')
    await here.perform('snapshot', { compressor: 'none' })
    expect(await send()).toBeLessThan(50_000)
    const facts = (await listSnapshots(here.store)).map((one) => one.facts)
    expect((await listSnapshots(there.store)).map((one) => one.facts)).toEqual(facts)
    expect(facts[1]).toMatchObject({ bytes: 300_005, service: 'web', target: 't1', pkg: SERVICE.pkg })
    expect(await there.perform('restore')).toEqual(SUCCEEDED)
    expect(treeOf(there.data)).toEqual(treeOf(here.data))
  })

  test('that are damaged are refused, named, and replaced by an intact one', async () => {
    const [here, there, third] = [await Keeper.open(shell), await Keeper.open(shell), await Keeper.open(shell)]
    writeFileSync(here.path('file'), 'content')
    await here.perform('snapshot')
    const [snapshot] = await listSnapshots(here.store)
    if (snapshot === undefined) throw new Error('there is no snapshot')
    await copySnapshot(here.store, [{ store: there.store }], { snapshot, signal })
    const directory = join(there.snapshots, 'snapshots/process/web', snapshot.name)
    const archive = readdirSync(directory).find((name) => name.includes('.tar')) ?? ''
    chmodSync(join(directory, archive), 0o600)
    truncateSync(join(directory, archive), 40)
    await expect(copySnapshot(there.store, [{ store: third.store }], { snapshot, signal })).rejects.toThrow(
      /cannot be used/,
    )
    expect(await third.names()).toEqual([])
    expect(readdirSync(join(third.snapshots, 'incoming'))).toEqual([])
    const restored = await there.perform('restore')
    expect(restored).toMatchObject({ kind: 'failed', log: expect.stringContaining(`'${archive}' was altered`) })
    expect(existsSync(there.path('file'))).toBe(false)
    await copySnapshot(here.store, [{ store: there.store }], { snapshot, signal })
    expect(await there.perform('restore')).toEqual(SUCCEEDED)
    expect(readFileSync(there.path('file'), 'utf8')).toBe('content')
  })

  test.runIf(isNew)('whose listing is emptied are damaged as well', async () => {
    const [here, there] = [await Keeper.open(shell), await Keeper.open(shell)]
    writeFileSync(here.path('file'), 'content')
    await here.perform('snapshot')
    const [snapshot] = await listSnapshots(here.store)
    const listing = join(here.snapshots, 'snapshots/process/web', snapshot!.name, 'listing')
    chmodSync(listing, 0o600)
    truncateSync(listing, 0)
    await expect(copySnapshot(here.store, [{ store: there.store }], { snapshot: snapshot!, signal })).rejects.toThrow(
      /cannot be used/,
    )
    expect(await there.names()).toEqual([])
    const restored = await here.perform('restore')
    expect(restored).toMatchObject({ kind: 'failed', log: expect.stringContaining('its listing was altered') })
  })

  test('are cleaned up, and state is deleted only where it is garbage', async () => {
    const keeper = await Keeper.open(shell)
    for (const text of ['1', '2', '3']) {
      writeFileSync(keeper.path('file'), text)
      // oxlint-disable-next-line no-await-in-loop
      await keeper.perform('snapshot')
    }
    const [, , last] = await keeper.names()
    const options = { keep: 1, mode: 'remove' } as const
    const [cleaned] = await cleanSnapshots(keeper.store, () => true, options)
    expect(cleaned).toMatchObject({ component: 'web', generations: 2 })
    expect(await keeper.names()).toEqual([last])
    expect(readdirSync(join(keeper.snapshots, 'snapshots/process/web'))).toEqual([last])
    expect(await keeper.perform('collect-garbage')).toEqual(SUCCEEDED)
    expect(existsSync(keeper.data)).toBe(true)
    keeper.mark('garbage')
    expect(await keeper.perform('collect-garbage')).toEqual(SUCCEEDED)
    expect(existsSync(keeper.data)).toBe(false)
    expect(existsSync(join(keeper.snapshots, 'garbage/process/web'))).toBe(false)
  })

  test('are not taken of what never was there', async () => {
    const keeper = await Keeper.open(shell)
    rmSync(join(keeper.snapshots, 'activated'), { recursive: true })
    expect(await keeper.perform('snapshot')).toEqual({ kind: 'no-state' })
    expect(await keeper.names()).toEqual([])
  })

  test.runIf(isNew)(
    'that no generation refers to are cleaned up; those that are still to be restored are kept',
    async () => {
      const keeper = await Keeper.open(shell)
      writeFileSync(keeper.path('file'), 'first')
      await keeper.perform('snapshot')
      writeFileSync(keeper.path('file'), 'second')
      await keeper.perform('snapshot')
      const [first] = await keeper.names()
      const record = keeper.scene.path('state/targets/t1/active/default/process:key')
      mkdirSync(record, { recursive: true })
      writeFileSync(join(record, 'record'), `container process\nrestore ${first}\n`)
      for (const component of ['web', 'gone'])
        mkdirSync(join(keeper.snapshots, `snapshots/process/${component}/orphan`), { recursive: true })
      const clean = (mode: 'remove' | 'dry-run') => cleanSnapshots(keeper.store, () => true, { keep: 0, mode })
      const before = treeOf(keeper.snapshots)
      expect(await clean('dry-run')).toMatchObject([
        { component: 'gone', generations: 0 },
        { component: 'web', generations: 1 },
      ])
      expect(treeOf(keeper.snapshots)).toEqual(before)
      await clean('remove')
      expect(await keeper.names()).toEqual([first])
      expect(readdirSync(join(keeper.snapshots, 'snapshots/process/gone'))).toEqual([])
      writeFileSync(join(record, 'restored'), '')
      await clean('remove')
      expect(readdirSync(join(keeper.snapshots, 'snapshots/process/web'))).toEqual([])
    },
  )

  test.runIf(isNew)('tell since when they are the latest, and what may be deleted', async () => {
    const keeper = await Keeper.open(shell)
    const mark = async () => (await readStateMark(keeper.machine, { target: 't1', ...keeper.component })).kind
    expect(await mark()).toBe('in-use')
    await keeper.perform('snapshot')
    rmSync(join(keeper.snapshots, 'activated'), { recursive: true })
    expect(await mark()).toBe('unknown')
    const link = join(keeper.snapshots, 'generations/process/web/1')
    lutimesSync(link, 1_700_000_000, 1_700_000_000)
    expect(await listSnapshots(keeper.store)).toMatchObject([{ since: new Date(1_700_000_000_000) }])
    for (const kind of ['garbage', 'activated']) {
      mkdirSync(join(keeper.snapshots, kind, 'process'), { recursive: true })
      writeFileSync(join(keeper.snapshots, kind, 'process/web'), '')
      // oxlint-disable-next-line no-await-in-loop
      expect(await mark()).toBe(kind === 'garbage' ? 'garbage' : 'in-use')
    }
  })

  test.runIf(isNew)('are neither taken nor restored by a run that has lost the lock', async () => {
    const keeper = await Keeper.open(shell)
    writeFileSync(keeper.path('file'), 'rows')
    await keeper.perform('snapshot')
    const place = { target: keeper.scene.mapping.target, profile: keeper.scene.profile }
    await acquireLock(keeper.scene.machine, place, { token: 'theirs', owner: 'they', leaseSeconds: 60 })
    writeFileSync(keeper.path('file'), 'later')
    await expect(keeper.perform('restore', { token: 'mine' })).rejects.toMatchObject({ code: 'lock-lost' })
    expect(readFileSync(keeper.path('file'), 'utf8')).toBe('later')
    expect(await keeper.perform('restore', { token: 'theirs' })).toEqual(SUCCEEDED)
    expect(readFileSync(keeper.path('file'), 'utf8')).toBe('rows')
  })

  test.runIf(isNew)('of Dysnomia are read, and its modules work as before', async () => {
    const keeper = await Keeper.open(shell)
    const place = join(keeper.snapshots, 'snapshots/process/web/abc')
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, 'dump'), 'dumped')
    mkdirSync(join(keeper.snapshots, 'generations/process/web'), { recursive: true })
    symlinkSync('../../../snapshots/process/web/abc', join(keeper.snapshots, 'generations/process/web/10'))
    symlinkSync('../../../snapshots/process/web/older', join(keeper.snapshots, 'generations/process/web/9'))
    keeper.scene.module(`[ "$1" != restore ] || cp "$DAVIT_SNAPSHOT/dump" "$D/data/dump"`)
    expect(await keeper.names()).toEqual(['abc'])
    expect(await keeper.perform('restore')).toEqual(SUCCEEDED)
    expect(readFileSync(keeper.path('dump'), 'utf8')).toBe('dumped')
    // The module keeps the snapshot by itself, or none at all.
    expect(await keeper.perform('snapshot')).toEqual(SUCCEEDED)
    expect((await listSnapshots(keeper.store)).map(({ facts }) => facts.bytes)).toEqual([6])
  })

  testCalls(shell, 'snapshots')
})
