import {
  existsSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

import type { PackageRequest, ServiceName, StorePath, System } from '@davit/documents'
import { removeTree } from '@davit/files'
import { type NativeStore, openNativeStore, storeLayout } from '@davit/store'
import { shellConnection } from '@davit/connection/testing'
import { shellsInDepth } from '@davit/testing/shells'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { type Machine, openMachine } from '../src/machine.ts'
import { nativeTargetStore } from '../src/native/native-target-store.ts'

const { signal } = new AbortController()
const A_DAY_AND_A_MINUTE = (24 * 60 + 1) * 60_000

describe.each(shellsInDepth())('on a machine with $name', (shell) => {
  let directory: string
  let machine: Machine<'carry'>
  let store: NativeStore
  let roots: string
  let paths: readonly StorePath[]

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'davit-native-target-'))
    machine = await openMachine(async () => shellConnection(shell, join(directory, 'state')), { role: 'carry' })
    const coordinator = await openNativeStore({ directory: join(directory, 'store'), environment: {} })
    const requests = ['a', 'b'].map((name): PackageRequest => {
      writeFileSync(join(directory, name), name)
      const spec = { kind: 'source', path: join(directory, name) } as const
      return { spec, system: 'x86_64-linux' as System, wantedBy: { service: name as ServiceName } }
    })
    paths = (await coordinator.instantiate(requests)).map(({ outPath }) => outPath)
    roots = storeLayout(join(directory, 'there')).roots
    // The target has its own store in another place.
    store = { ...coordinator, reference: { kind: 'native', directory: join(directory, 'there') } }
  })
  afterEach(() => {
    machine.close()
    removeTree(directory)
  })

  const kept = () =>
    readdirSync(roots)
      .filter((name) => !name.startsWith('state:'))
      .toSorted()
  const temporary = (path: StorePath) => `temporary:${basename(path)}`

  test('what is sent is protected for a day', async () => {
    const there = nativeTargetStore(machine, store)
    expect(await there.missing(paths)).toEqual(paths)
    expect(await there.send(paths, { signal })).toMatchObject({ paths: 2 })
    expect(await there.missing(paths)).toEqual([])
    expect(kept()).toEqual(paths.map(temporary).toSorted())
  })

  /** Makes all roots look as if they had been made more than a day ago. */
  const age = () => {
    const old = new Date(Date.now() - A_DAY_AND_A_MINUTE)
    for (const link of readdirSync(roots)) lutimesSync(join(roots, link), old, old)
  }
  const isFresh = (path: StorePath) =>
    lstatSync(join(roots, temporary(path))).mtimeMs > Date.now() - A_DAY_AND_A_MINUTE / 2

  test('a new temporary root replaces expired ones, and nothing else', async () => {
    const [a, b] = paths as [StorePath, StorePath]
    mkdirSync(roots, { recursive: true })
    symlinkSync(join(directory, 'generations'), join(roots, 'profile:t1:default'))
    await nativeTargetStore(machine, store).send([a], { signal })
    age()
    await nativeTargetStore(machine, store).send([b], { signal })
    expect(kept()).toEqual(['profile:t1:default', temporary(b)])
    expect(basename(readlinkSync(join(roots, temporary(b))))).toBe(basename(b))
  })

  test('what is there already is protected for another day, in one request', async () => {
    const [a, b] = paths as [StorePath, StorePath]
    await nativeTargetStore(machine, store).send(paths, { signal })
    age()
    const there = nativeTargetStore(machine, store)
    expect(await there.missing(paths, { protect: [b] })).toEqual([])
    expect([isFresh(a), isFresh(b)]).toEqual([false, true])
    age()
    await there.protect([b])
    expect(isFresh(b)).toBe(false)
    await nativeTargetStore(machine, store).protect([b])
    expect(isFresh(b)).toBe(true)
  })

  test('what was removed by hand is missing, and is sent again', async () => {
    const [a] = paths as [StorePath, StorePath]
    await nativeTargetStore(machine, store).send(paths, { signal })
    const place = join(directory, 'there', basename(a))
    rmSync(place)
    expect(await nativeTargetStore(machine, store).missing(paths)).toEqual([a])
    await nativeTargetStore(machine, store).send([a], { signal })
    expect(readFileSync(place, 'utf8')).toBe('a')
    expect(await nativeTargetStore(machine, store).missing(paths)).toEqual([])
  })

  test('nothing is protected before it is there', async () => {
    const there = nativeTargetStore(machine, store)
    expect(await there.missing(paths, { protect: paths })).toEqual(paths)
    expect(existsSync(roots)).toBe(false)
    await expect(there.protect(paths)).rejects.toMatchObject({ code: 'collected' })
  })
})
