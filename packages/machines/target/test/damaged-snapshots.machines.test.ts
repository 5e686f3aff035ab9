import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { shellsInDepth } from '@davit/testing/shells'
import { afterAll, describe, expect, test } from 'vitest'

import { copySnapshot, findSnapshot } from '../src/target.ts'
import { Keeper } from './keeper.ts'
import { closeScenes } from './scene.ts'

afterAll(closeScenes)

const { signal } = new AbortController()
const SUCCEEDED = { kind: 'succeeded' }

async function openKeeper(shell: Parameters<typeof Keeper.open>[0]) {
  const keeper = await Keeper.open(shell)
  const directory = () => join(keeper.snapshots, 'snapshots/process/web')
  const archives = (name: string) => readdirSync(join(directory(), name)).filter((file) => file.includes('.tar'))
  const put = (name: string, text: string) => writeFileSync(keeper.path(name), text)
  const read = (name: string) => readFileSync(keeper.path(name), 'utf8')
  return { keeper, directory, archives, put, read, set: () => readdirSync(join(keeper.snapshots, 'damaged')) }
}

/** Alters a file in place, as a disk may do; its size stays the same. */
function rot(...names: readonly string[]): void {
  const file = join(...names)
  const content = readFileSync(file)
  content[content.length >> 1]! ^= 255
  chmodSync(file, 0o600)
  writeFileSync(file, content)
}

describe.each(shellsInDepth())('snapshots that a disk has altered, on a machine with $name', (shell) => {
  test('are not built on, nor taken for those of equal state', async () => {
    const { keeper, directory, archives, put, read, set } = await openKeeper(shell)
    put('big', 'content '.repeat(1000))
    expect(await keeper.perform('snapshot')).toEqual(SUCCEEDED)
    const [first = ''] = await keeper.names()
    rot(directory(), first, archives(first)[0] ?? '')
    const damage = expect.stringMatching(`the snapshot '${first}' is damaged: '${archives(first)[0]}' was altered`)
    expect(await keeper.perform('snapshot')).toEqual({ ...SUCCEEDED, damage })
    expect([await keeper.names(), set()]).toEqual([[first], [expect.stringContaining(first)]])
    expect(await keeper.perform('restore')).toEqual(SUCCEEDED)

    put('small', 'small')
    expect(await keeper.perform('snapshot')).toEqual(SUCCEEDED)
    const [, second = ''] = await keeper.names()
    expect(archives(second)).toHaveLength(2)
    rot(directory(), second, archives(second)[0] ?? '')
    put('small', 'other')
    expect(await keeper.perform('snapshot')).toMatchObject({ ...SUCCEEDED, damage: expect.any(String) })
    const third = (await keeper.names()).at(-1) ?? ''
    expect(archives(third)).toEqual([expect.stringMatching(/^001-/)])
    put('small', 'small')
    expect(await keeper.perform('snapshot')).toEqual(SUCCEEDED)
    rmSync(keeper.path('small'))
    // This one has the archive of the second one.
    expect(await keeper.perform('snapshot')).toMatchObject({ ...SUCCEEDED, damage: expect.stringContaining(first) })
    rmSync(keeper.path('big'))
    expect(await keeper.perform('restore')).toEqual(SUCCEEDED)
    expect(read('big')).toBe('content '.repeat(1000))
  })

  test('are not built on either if an archive is gone', async () => {
    const { keeper, directory, archives, put } = await openKeeper(shell)
    for (const text of ['1', '2']) {
      put(text, text)
      // oxlint-disable-next-line no-await-in-loop
      await keeper.perform('snapshot')
    }
    const name = (await keeper.names()).at(-1) ?? ''
    rmSync(join(directory(), name, archives(name)[0] ?? ''))
    expect(await keeper.perform('snapshot')).toMatchObject({ ...SUCCEEDED, damage: expect.stringContaining(name) })
    expect(await keeper.perform('restore')).toEqual(SUCCEEDED)
  })

  test('are sent anew where they were received before, whole or as part of another', async () => {
    const [here, there] = [await openKeeper(shell), await openKeeper(shell)]
    const send = async () => {
      const snapshot = await findSnapshot(here.keeper.store, here.keeper.component)
      const damaged: string[] = []
      const onDamaged = (names: readonly string[]) => damaged.push(...names)
      await copySnapshot(here.keeper.store, [{ store: there.keeper.store, onDamaged }], { snapshot: snapshot!, signal })
      return damaged
    }
    here.put('big', 'content '.repeat(1000))
    await here.keeper.perform('snapshot')
    const [name = ''] = await here.keeper.names()
    expect(await send()).toEqual([])
    for (const file of [there.archives(name)[0] ?? '', 'listing']) {
      rot(there.directory(), name, file)
      // oxlint-disable-next-line no-await-in-loop
      expect(await send()).toEqual([name])
    }
    rot(there.directory(), name, there.archives(name)[0] ?? '')
    here.put('small', 'small')
    await here.keeper.perform('snapshot')
    expect(await send()).toEqual([name])
    expect(await there.keeper.perform('restore')).toEqual(SUCCEEDED)
    expect([there.read('big').length, there.read('small')]).toEqual([8000, 'small'])
  })
})
