import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { encodeDocument, Manifest } from '@davit/documents'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'

import { beginWanted, endWanted, isWanted, readWanted, undoWanted } from '../src/coordinator-state.ts'

let place: string
let roots: Set<string>
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'davit-wanted-'))
  roots = new Set()
})
afterEach(() => rmSync(place, { recursive: true }))

const store = {
  addRoot: async (name: string) => void roots.add(name),
  removeRoot: async (name: string) => void roots.delete(name),
}
const manifest: Manifest = {
  profiles: new Map(),
  services: new Map(),
  infrastructure: new Map(),
  serviceMappings: [],
  snapshotMappings: [],
  store: { kind: 'nix', directory: '/nix/store' },
}
const text = encodeDocument(Manifest, manifest, 'xml')
const begin = async (run: string) =>
  (await beginWanted(place, { run, isTold: true, text, manifest, madeFrom: { davit: run } }, store)).kept

test('readWanted() reads what a run wants, until it has ended well', async () => {
  expect(await readWanted(place)).toBeUndefined()
  await begin('one')
  expect(await readWanted(place)).toEqual({ run: 'one', isTold: true, text, manifest, madeFrom: { davit: 'one' } })
  expect([await isWanted(place), await isWanted(place, 'one'), await isWanted(place, 'two')]).toEqual([
    true,
    true,
    false,
  ])
  expect(roots.size).toBe(1)
  await endWanted(place, store)
  expect(await readWanted(place)).toBeUndefined()
  expect(roots.size).toBe(0)
})

test('beginWanted() keeps what a run wants private, as manifests may name secrets', async () => {
  const before = process.umask(0)
  onTestFinished(() => void process.umask(before))
  const below = join(place, 'new/place')
  const wanted = { isTold: true, text, manifest, madeFrom: { davit: 'one' } }
  for (const run of ['one', 'two']) await (await beginWanted(below, { ...wanted, run }, store)).kept
  expect(readdirSync(below).length).toBe(2)
  const modes = ['.', ...readdirSync(below)].map((name) => statSync(join(below, name)).mode & 0o777)
  expect(modes).toEqual([0o700, 0o600, 0o600])
})

test('undoWanted() brings back what an earlier run has wanted', async () => {
  await begin('one')
  await begin('two')
  await undoWanted(place, 'one', store)
  expect((await readWanted(place))?.run).toBe('two')
  await undoWanted(place, 'two', store)
  expect((await readWanted(place))?.run).toBe('one')
  expect(roots.size).toBe(1)
  await undoWanted(place, 'one', store)
  expect(await isWanted(place)).toBe(false)
  expect(roots.size).toBe(0)
})

test('beginWanted() of the same run takes the place of its record', async () => {
  await begin('one')
  await begin('one')
  await undoWanted(place, 'one', store)
  expect(await isWanted(place)).toBe(false)
})

test.each(['x', '{}\n{}\n', '[]\n{}\nx'])('readWanted() refuses a damaged record: %j', async (content) => {
  writeFileSync(join(place, 'wanted'), content)
  await expect(readWanted(place)).rejects.toMatchObject({ code: 'corrupt-state' })
  await endWanted(place, store)
  expect(await readWanted(place)).toBeUndefined()
})
