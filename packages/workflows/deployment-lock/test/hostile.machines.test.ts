import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { processIdentity } from '@davit/process'
import { patience, runs, tellFigure } from '@davit/testing/effort'
import { awkwardText, mutationsOf } from '@davit/testing/hostile'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { ownerOf, readLockRecord, writeLockRecord } from '../src/deployment-lock.ts'
import { describeOwner, isDead, parseOwner } from '../src/lock-owner.ts'

const here = processIdentity()
const owner = ownerOf(here, 'self')
const RECORD = {
  token: 'a1b2',
  owner,
  processGroup: 7,
  manifest: '<manifest version="2"/>\n',
  targets: ['t1', 't2'],
  renamed: [],
}

let place: string
let inputs = 0
beforeAll(() => void (place = mkdtempSync(join(tmpdir(), 'davit-lock-record-'))))
afterAll(() => {
  rmSync(place, { recursive: true, force: true })
  tellFigure(`locks: ${inputs} hostile inputs, each a record, an owner or nobody`)
})

const recordIn = (content: string | Uint8Array) => {
  writeFileSync(join(place, 'lock.json'), content)
  return readLockRecord(place)
}

test('a lock record is read as it was written', async () => {
  await writeLockRecord(place, RECORD)
  expect(await readLockRecord(place)).toEqual(RECORD)
})

test.each([
  ['nothing', ''],
  ['no JSON', 'x'],
  ['no UTF-8', Uint8Array.of(0xff, 0xfe, 0)],
  ['100,000 lists', '['.repeat(100_000) + ']'.repeat(100_000)],
  ['null', 'null'],
  ['a list', '[]'],
  ['no owner', JSON.stringify({ ...RECORD, owner: null })],
  ['an owner without a process', JSON.stringify({ ...RECORD, owner: { ...owner, holder: 'constructor' } })],
  ['a token that is more than a word', JSON.stringify({ ...RECORD, token: 'a1 t2 default\n7 unlock' })],
  ['targets that are no names', JSON.stringify({ ...RECORD, targets: [null] })],
  ['no process group', JSON.stringify({ ...RECORD, processGroup: null })],
])('a lock record that holds %s is none', async (_, content) => {
  expect(await recordIn(content)).toBeUndefined()
})

test('a lock record that is a directory is told', async () => {
  const directory = join(place, 'sub')
  mkdirSync(join(directory, 'lock.json'), { recursive: true })
  await expect(readLockRecord(directory)).rejects.toMatchObject({ code: 'cannot-read' })
})

describe('fuzzing', patience, () => {
  test('readLockRecord(): a record that is complete, or none', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(mutationsOf([JSON.stringify(RECORD)]), awkwardText), async (text) => {
        inputs += 1
        const record = await recordIn(text)
        expect(record?.token ?? 'none').toMatch(/^[\w-]+$/)
        expect(record?.targets.every((name) => typeof name === 'string') ?? true).toBe(true)
      }),
      runs(150),
    )
  })

  test('what a target says of an owner: one short line, and nobody is dead of whom it is not certain', () => {
    const json = fc.jsonValue().map((value) => JSON.stringify(value))
    fc.assert(
      fc.property(fc.oneof(mutationsOf([JSON.stringify(owner)]), awkwardText, json), (text) => {
        inputs += 1
        const parsed = parseOwner(text)
        // oxlint-disable-next-line no-control-regex
        expect(describeOwner(text)).toMatch(/^[^\u0000-\u001f\u007f-\u009f]{1,300}$/)
        expect(parsed !== undefined && parsed.holder.namespace !== here.namespace && isDead(parsed, here)).toBe(false)
      }),
      runs(400),
    )
  })
})

test('an owner cannot draw on the screen, nor fill it', () => {
  const text = JSON.stringify({ ...owner, user: `x\n\u001b[2J\u202e${'y'.repeat(100_000)}`, host: 'h' })
  expect(describeOwner(text)).toMatch(/^x\?\?\[2J\?y{93}@h \(process \d+\)$/)
})
