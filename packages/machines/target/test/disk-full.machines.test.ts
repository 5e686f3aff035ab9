import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

import type { DavitError } from '@davit/diagnostics'
import type { PackageRequest, ProfileName, ServiceName, StorePath, System, TargetName } from '@davit/documents'
import { removeTree } from '@davit/files'
import { openNativeStore, storeLayout } from '@davit/store'
import { shellConnection } from '@davit/connection/testing'
import { notingShells } from '@davit/testing/shells'
import { noSmallDisk, smallDisk, type SmallDisk } from '@davit/testing/small-disk'
import { until } from '@davit/testing/wait'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { importArchive, missingNames } from '../src/native/import.ts'
import {
  acquireLock,
  lockHolder,
  type Machine,
  observeMappings,
  openMachine,
  performActivity,
  releaseLock,
  setProfile,
} from '../src/target.ts'
import { testCalls } from './functions.ts'

const place = { target: 't1' as TargetName, profile: 'default' as ProfileName }
const lock = { token: 'mine', owner: 'me', leaseSeconds: 60 }
const { signal } = new AbortController()
const environment = { PATH: '/usr/bin:/bin' }

/** Possible states of the record after an activity on a disk without room for it. */
const STATES: Readonly<Record<string, readonly string[]>> = {
  'activate succeeded': ['active'],
  'activate failed': ['', 'activating'],
  'deactivate succeeded': [''],
  'deactivate failed': ['active', 'deactivating'],
}

/** Pids of the processes that have a path among their arguments, as runners do and what they have become in the background. */
function processesOf(path: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && argumentsOf(pid).includes(path))
}

/** A process may end meanwhile. */
function argumentsOf(pid: string): readonly string[] {
  try {
    return readFileSync(join('/proc', pid, 'cmdline'), 'utf8').split('\0')
  } catch {
    return []
  }
}

describe.skipIf(noSmallDisk !== undefined).each(notingShells())('on a full disk, with $name', (shell) => {
  let disk: SmallDisk
  let machine: Machine
  let carrier: Machine<'carry'>
  let aside: string
  const at = (...names: string[]) => join(disk.directory, ...names)

  /**
   * Waits until nothing of earlier activities runs. What keeps the log of one may outlive it: it would make its file after those that are
   * left were counted, or give one back that was removed.
   */
  const isAtRest = () => until(() => expect(processesOf(at('state'))).toEqual([]))

  const leftOver = () =>
    readdirSync(at('state/targets/t1'), { recursive: true, encoding: 'utf8' }).filter((name) => LEFT.test(name))
  const LEFT = /\.new$|room$|mutex|running|module$|output$|activity$|\.gone/

  beforeAll(async () => {
    aside = mkdtempSync(join(tmpdir(), 'davit-disk-full-'))
    disk = smallDisk(2 * 1024 * 1024)
    const connection = shellConnection(shell, at('state'))
    machine = await openMachine(async () => connection)
    carrier = await openMachine(async () => connection, { role: 'carry' })
    mkdirSync(at('state/targets/t1'), { recursive: true })
  })
  afterAll(() => {
    machine.close()
    carrier.close()
    disk.remove()
    removeTree(aside)
  })
  beforeEach(async () => {
    disk.free()
    await isAtRest()
    rmSync(join(aside, 'asked'), { force: true })
  })

  test('no lock is taken, and none is left that would lock others out', async () => {
    disk.fill()
    await expect(acquireLock(machine, place, lock)).rejects.toMatchObject({
      code: 'cannot-create',
      exitStatus: 73,
      message: expect.stringMatching(/^target 't1': cannot write the lock below '.*': .*no space left/i),
      hint: expect.stringContaining('free some space'),
    })
    expect(leftOver()).toEqual([])
    disk.free()
    expect(await lockHolder(machine, place)).toBeUndefined()
    expect(await acquireLock(machine, place, lock)).toMatchObject({ kind: 'acquired' })
    disk.fill()
    expect(await acquireLock(machine, place, { ...lock, token: 'yours' })).toMatchObject({ kind: 'held' })
    await releaseLock(machine, place, { token: 'mine' })
  })

  const mapping = { target: 't1', service: 'key', container: 'c' }
  const service = { name: 'web', pkg: `/store/${'0'.repeat(32)}-web`, type: 't' }
  const entry = { ...service, dependsOn: [], connectsTo: [], providesContainers: new Map() }
  /** Performs an activity with a module that logs its calls on another disk. */
  const perform = (activity: 'activate' | 'deactivate', script = ':') => {
    const module = join(aside, 'module')
    writeFileSync(module, `#!/bin/sh\necho "$1" >>'${aside}/asked'\n${script}\n`, { mode: 0o755 })
    const definition = { service: entry, module, properties: new Map() }
    return performActivity(machine, { ...place, token: '-', activity, mapping, definition } as never)
  }
  const asked = () => {
    const text = existsSync(join(aside, 'asked')) ? readFileSync(join(aside, 'asked'), 'utf8') : ''
    rmSync(join(aside, 'asked'), { force: true })
    return text.split('\n').slice(0, -1)
  }
  const recorded = async () => (await observeMappings(machine, place.profile)).map(({ state }) => state)

  test.each([
    [0, 'record'],
    [4096, 'state'],
  ])('with %i bytes left nothing is activated, as the %s cannot be written', async (left, file) => {
    disk.fill(left)
    expect(await perform('activate')).toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(new RegExp(`cannot write the ${file} .*: .*no space left`, 'i')),
    })
    expect([asked(), await recorded(), leftOver()]).toEqual([[], [], []])
    expect(readdirSync(at('state/targets/t1/active/default'))).toEqual([])
    disk.free()
    expect(await perform('activate')).toEqual({ kind: 'succeeded' })
    expect(await recorded()).toEqual(['active'])
    await perform('deactivate')
    expect(asked()).toEqual(['activate', 'deactivate'])
  })

  test('an activity that fills the disk is recorded, and can be undone', async () => {
    const fillDisk = `head -c 4000000 /dev/zero >'${at('.ballast')}' 2>/dev/null`
    // What it prints then is dropped.
    expect(await perform('activate', `${fillDisk}; yes | head -c 400000 || exit 7`)).toEqual({ kind: 'succeeded' })
    expect(await recorded()).toEqual(['active'])
    expect(await perform('deactivate')).toEqual({ kind: 'succeeded' })
    expect([asked(), await recorded(), leftOver()]).toEqual([['activate', 'deactivate'], [], []])
    disk.free()
    expect(await perform('activate', `${fillDisk}; exit 4`)).toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(/status 4, and nothing more can be written there \(.*no space left/i),
    })
    expect(await perform('deactivate')).toEqual({ kind: 'succeeded' })
  })

  test.each(shell.inDepth ? [0, 1, 2, 3, 4, 5, 6, 7] : [1, 5])(
    'with room for %i files nothing runs without a record',
    async (files) => {
      const sweep = async (activity: 'activate' | 'deactivate') => {
        asked()
        await isAtRest()
        disk.fillFiles(files)
        const outcome = await perform(activity)
        const [{ length }, states] = [asked(), await recorded()]
        expect(leftOver()).toEqual([])
        disk.free()
        const reason = outcome.kind === 'failed' ? outcome.message : 'no space left'
        expect(reason).toMatch(/^(?!its module).*no space left/i)
        expect(length).toBe(outcome.kind === 'succeeded' ? 1 : 0)
        expect(STATES[`${activity} ${outcome.kind}`]).toContain(states.join())
        expect(await perform(activity)).toEqual({ kind: 'succeeded' })
      }
      await sweep('activate')
      await sweep('deactivate')
    },
  )

  test.runIf(shell.inDepth)('the profile stays unchanged', async () => {
    for (const name of ['a', 'b']) mkdirSync(at(name))
    const set = (name: string) => {
      const store = { kind: 'native', directory: disk.directory } as const
      return setProfile(machine, { ...place, token: '-', path: at(name) as StorePath, store, generations: 'add' })
    }
    expect(await set('a')).toEqual({ generation: 1 })
    disk.fill()
    const outcome = await set('b').then(
      () => 'set',
      (error: unknown) => error,
    )
    // On some file systems links need no space.
    const kept = outcome === 'set' ? 'unchanged' : await set('a')
    disk.free()
    const then = outcome === 'set' ? 'unchanged' : { generation: 2 }
    expect([kept, await set('b')]).toEqual(['unchanged', then])
  })

  test('packages that do not fit are refused, leave nothing, and are sent again', async () => {
    const requests = [1024 * 1024, 10].map((size): PackageRequest => {
      writeFileSync(join(aside, `${size}`), Buffer.alloc(size, 'x'))
      const wantedBy = { service: 'web' as ServiceName }
      return { spec: { kind: 'source', path: join(aside, `${size}`) }, system: 'x86_64-linux' as System, wantedBy }
    })
    const store = await openNativeStore({ directory: join(aside, 'store'), environment })
    const paths = (await store.instantiate(requests)).map(({ outPath }) => outPath)
    const layout = storeLayout(at('store'))
    const names = paths.map((path) => basename(path))
    const codes = new Set<string>()
    for (let left = 1024 * 1024; codes.size < 10; left += 4096) {
      disk.fill(left)
      const archive = store.export(paths)
      const error = await importArchive(carrier, layout, { archive, names, protect: [], needs: [], signal }).then(
        () => undefined,
        (reason: DavitError) => reason,
      )
      disk.free()
      if (error === undefined) break
      codes.add(error.code)
      expect([error.message, error.hint]).toEqual([
        expect.stringMatching(/no space left/i),
        expect.stringContaining('free some space'),
      ])
      expect(await missingNames(carrier, layout, { names })).toEqual(names)
      expect([...readdirSync(layout.directory), ...readdirSync(layout.incoming)]).toEqual(['.davit'])
    }
    expect([...codes]).toEqual(['import-failed'])
    expect(await missingNames(carrier, layout, { names })).toEqual([])
    expect(readdirSync(layout.incoming)).toEqual([])
  })

  testCalls(shell, 'disk-full')
})
