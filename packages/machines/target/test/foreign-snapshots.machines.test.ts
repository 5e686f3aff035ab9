import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { shellsInDepth } from '@davit/testing/shells'
import { afterAll, describe, expect, test } from 'vitest'

import { copySnapshot, findSnapshot } from '../src/target.ts'
import { Keeper, treeOf } from './keeper.ts'
import { closeScenes } from './scene.ts'

afterAll(closeScenes)

const { signal } = new AbortController()
const RESTORED = `[ "$1" != restore ] || cp -R "$DAVIT_SNAPSHOT/." "$D/data"`

/** Adds a snapshot as Dysnomia keeps it, with a checksum of names and contents. */
function add(keeper: Keeper, name: string, files: Readonly<Record<string, string>>): string {
  const place = join(keeper.snapshots, 'snapshots/process/web', name)
  const generations = join(keeper.snapshots, 'generations/process/web')
  for (const directory of [place, generations, join(keeper.snapshots, 'checksums/process/web')]) {
    mkdirSync(directory, { recursive: true })
  }
  for (const [file, text] of Object.entries(files)) writeFileSync(join(place, file), text)
  const names = Object.keys(files).toSorted()
  const listing = ['.', ...names.map((file) => `./${file}`), '', ''].join('\n')
  const contents = names.map((file) => files[file] ?? '').join('')
  const sum = createHash('sha256')
    .update(listing + contents)
    .digest('hex')
  writeFileSync(join(keeper.snapshots, 'checksums/process/web', name), `sha256:${sum}\n`)
  symlinkSync(`../../../snapshots/process/web/${name}`, join(generations, String(readdirSync(generations).length + 1)))
  return place
}

async function pair(shell: Parameters<typeof Keeper.open>[0]) {
  const [here, there] = [await Keeper.open(shell), await Keeper.open(shell)]
  for (const keeper of [here, there]) keeper.scene.module(RESTORED)
  const send = async () => {
    const snapshot = await findSnapshot(here.store, here.component)
    if (snapshot === undefined) throw new Error('there is no snapshot')
    return copySnapshot(here.store, [{ store: there.store }], { snapshot, signal })
  }
  return { here, there, send }
}

describe.each(shellsInDepth())('snapshots of Dysnomia on a machine with $name', (shell) => {
  test('are sent and restored, whatever the names of their files', async () => {
    const { here, there, send } = await pair(shell)
    add(here, 'abc', { '-rf': 'dash', '--checkpoint-action=exec=false': 'option', 'a b': 'blank', "it's": 'quote' })
    await send()
    expect(await there.perform('restore')).toEqual({ kind: 'succeeded' })
    expect(readFileSync(there.path('-rf'), 'utf8')).toBe('dash')
    expect(readdirSync(there.data).toSorted()).toEqual(['--checkpoint-action=exec=false', '-rf', 'a b', "it's"])
  })

  test('whose checksum does not fit are neither restored nor sent, and named', async () => {
    const { here, there, send } = await pair(shell)
    const place = add(here, 'abc', { dump: 'dumped' })
    writeFileSync(join(place, 'dump'), 'altered')
    await expect(send()).rejects.toThrow(/the snapshot 'process\/web\/abc' cannot be used/)
    expect(await here.perform('restore')).toMatchObject({
      kind: 'failed',
      log: expect.stringContaining("the snapshot 'abc' is damaged: its checksum does not fit"),
    })
    expect(existsSync(here.path('dump'))).toBe(false)
    expect(await there.names()).toEqual([])
  })

  test('that are gone are named, the one before is found, and what is next takes their place', async () => {
    const { here, there, send } = await pair(shell)
    add(here, 'abc', { dump: 'dumped' })
    rmSync(add(here, 'def', { dump: 'later' }), { recursive: true })
    expect(await here.perform('restore')).toMatchObject({
      kind: 'failed',
      log: expect.stringContaining("there is no snapshot 'def'"),
    })
    await send()
    expect(await there.names()).toEqual(['abc'])
    here.scene.module('[ "$1" != snapshot ] || cp "$D/data/rows" "$DAVIT_SNAPSHOT/rows"')
    writeFileSync(here.path('rows'), 'rows')
    expect(await here.perform('snapshot')).toEqual({ kind: 'succeeded' })
    await send()
    expect(treeOf(there.snapshots).filter((line) => line.includes('/generations/process/web/')).length).toBe(2)
    expect((await there.names()).at(-1)).toBe((await here.names()).at(-1))
  })
})
