import { readFileSync, writeFileSync } from 'node:fs'

import { notingShells } from '@davit/testing/shells'
import { afterAll, describe, expect, test } from 'vitest'

import { cleanSnapshots, replaceState } from '../src/target.ts'
import { Keeper } from './keeper.ts'
import { closeScenes } from './scene.ts'
import { testCalls } from './functions.ts'

afterAll(closeScenes)

const SUCCEEDED = { kind: 'succeeded' }

describe.each(notingShells())('what a restoration replaces on a machine with $name', (shell) => {
  test('is kept when old snapshots are removed, until something else is replaced', async () => {
    const keeper = await Keeper.open(shell)
    const put = (text: string) => writeFileSync(keeper.path('file'), text)
    const clean = async (keep: number) => {
      await cleanSnapshots(keeper.store, () => true, { keep, mode: 'remove' })
      return keeper.names()
    }
    const restore = (snapshot = '') => replaceState(keeper.machine, { ...keeper.request('restore'), snapshot })
    put('old')
    await keeper.perform('snapshot')
    put('wanted')
    await keeper.perform('snapshot')
    const [, wanted = ''] = await keeper.names()
    put('precious')
    keeper.scene.module(
      'case $1 in snapshot) ln -s "$D/data" "$DAVIT_SNAPSHOT/state" ;; restore) echo half >"$D/data/file"; exit 1 ;; esac',
    )
    expect(await restore(wanted)).toMatchObject({ kind: 'failed' })
    keeper.repair()
    expect(await restore(wanted)).toEqual(SUCCEEDED)
    const [precious, half] = (await keeper.names()).slice(2).filter((name) => name !== wanted)
    expect(await clean(1)).toEqual([precious, half, wanted])
    expect(await restore(precious)).toEqual(SUCCEEDED)
    expect(readFileSync(keeper.path('file'), 'utf8')).toBe('precious')
    expect(await clean(1)).toEqual([wanted, precious])
    expect(await clean(0)).toEqual([])
  })

  testCalls(shell, 'replaced-snapshots')
})
