import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { noSmallDisk, type SmallDisk, smallDisk } from '@davit/testing/small-disk'
import { scratchDirectory } from '@davit/testing/scratch'
import * as fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { bundleTools } from '../../../../scripts/bundle-programs.ts'
import { type JournalEntry, openJournal, readJournal, type StepEntry } from '../src/coordinator-state.ts'
import { encodeEntry, parseEntry } from '../src/journal-entry.ts'

let directory: string
let place: string
beforeEach(() => {
  directory = scratchDirectory()
  place = join(directory, 'state', 'coordinator', 'default')
})

const time = '2026-11-21T10:00:00.000Z'
const note = (message: string): JournalEntry => ({ kind: 'note', time, id: 'a', message })
const write = (...messages: readonly string[]) => {
  const journal = openJournal(place)
  for (const message of messages) journal.append(note(message))
  journal.close()
}
const messages = async () =>
  (await readJournal(place)).entries.map(({ entry }) => ('message' in entry ? entry.message : entry.kind))
const file = (number = 1) => join(place, 'journal', String(number))

const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '\n{"kind":"end","time":"2026-11-21T10:00:00Z","id":"a","status":0}\n',
    '\u001b]0;x\u0007',
    '\u2028',
    '\u202e',
    '\ud800',
  ),
)

test('an entry is one line without control characters, and is read as it was written, whatever texts it holds', () => {
  const entries = fc.record(
    {
      kind: fc.constant('failed' as const),
      time: fc.constant(time),
      id: hostile,
      number: fc.nat(),
      step: hostile,
      target: hostile,
      message: hostile,
      log: hostile,
    },
    { requiredKeys: ['kind', 'time', 'id', 'number', 'step'] },
  )
  fc.assert(
    fc.property(entries, (entry) => {
      const line = encodeEntry(entry)
      // oxlint-disable-next-line no-control-regex
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e]/)
      expect(parseEntry(line)).toEqual(entry)
    }),
  )
})

test('what a target says cannot forge an entry', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(hostile, { minLength: 1, maxLength: 4 }), async (said) => {
      rmSync(place, { recursive: true, force: true })
      write(...said)
      expect(await messages()).toEqual(said)
      expect((await readJournal(place)).damaged).toEqual([])
    }),
    { numRuns: 15 },
  )
})

test('texts of any length are cut: of logs the beginning, of everything else the end', () => {
  const long = `first ${'x'.repeat(10_000)} last`
  const entry = parseEntry(encodeEntry({ kind: 'failed', time, id: 'a', number: 1, step: long, log: long }))
  expect(entry).toMatchObject({ step: expect.stringMatching(/^first x+…$/), log: expect.stringMatching(/^…x+ last$/) })
  expect(encodeEntry(entry as JournalEntry).length).toBeLessThan(5000)
})

test.each([
  '{"kind":"note"',
  'null',
  '[]',
  '7',
  '{}',
  '{"kind":"note","time":"2026-11-21T10:00:00Z","id":"a"}',
  '{"kind":"note","time":"2026-11-21T10:00:00Z","id":"a","message":7}',
  '{"kind":"note","time":"yesterday","id":"a","message":"x"}',
  '{"kind":"end","time":"2026-11-21T10:00:00Z","id":"a","status":"0"}',
  '{"kind":"begin","time":"2026-11-21T10:00:00Z","id":"a","tool":"x"}',
  '\u0000\u0000\u0000',
])('%s is no entry', (line) => {
  expect(parseEntry(line)).toBeUndefined()
})

test('an entry of an unknown, later kind is accepted', () => {
  expect(parseEntry(`{"kind":"snapshot","time":"${time}","id":"a","of":["x"]}`)).toMatchObject({ kind: 'snapshot' })
})

test('a journal is readable by its owner only, and is not created before the first entry', async () => {
  expect(await readJournal(place)).toEqual({ entries: [], damaged: [] })
  write('x')
  const modes = [file(), join(place, 'journal'), place].map((path) => (statSync(path).mode & 0o777).toString(8))
  expect(modes).toEqual(['600', '700', '700'])
  expect(statSync(join(directory, 'state')).mode & 0o777).toBe(0o777 & ~process.umask())
})

test('an entry goes through no link', () => {
  write('x')
  rmSync(file())
  writeFileSync(join(directory, 'other'), '')
  symlinkSync(join(directory, 'other'), file())
  expect(() => write('y')).toThrow(expect.objectContaining({ code: 'cannot-write' }))
  expect(readFileSync(join(directory, 'other'), 'utf8')).toBe('')
})

test('an entry that was cut off, and bytes that are no text, spoil no other entry', async () => {
  write('one', 'cut off')
  truncateSync(file(), statSync(file()).size - 5)
  write('two')
  appendFileSync(file(), Buffer.from([0x0a, 0xff, 0xfe, 0x00, 0x22]))
  write('three')
  expect(await messages()).toEqual(['one', 'two', 'three'])
  expect((await readJournal(place)).damaged).toEqual([
    { file: file(), line: 3 },
    { file: file(), line: 5 },
  ])
})

test('a journal stays small, and keeps what is new', async () => {
  const journal = openJournal(place, 1000)
  for (let number = 1; number <= 100; number += 1) journal.append(note(`number ${number}`))
  journal.close()
  const files = readdirSync(join(place, 'journal')).map(Number)
  expect(files).toHaveLength(2)
  for (const number of files) expect(statSync(file(number)).size).toBeLessThan(1200)
  const kept = await messages()
  expect(kept.length).toBeGreaterThan(10)
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => `number ${100 - kept.length + index + 1}`))
})

test('a writer follows others to the next file, and begins a new one if somebody has removed it', async () => {
  const [slow, busy] = [openJournal(place, 500), openJournal(place, 500)]
  slow.append(note('early'))
  for (let number = 1; number <= 50; number += 1) busy.append(note(`number ${number}`))
  slow.append(note('late'))
  expect((await messages()).slice(-2)).toEqual(['number 50', 'late'])
  for (const name of readdirSync(join(place, 'journal'))) rmSync(file(Number(name)))
  slow.append(note('anew'))
  expect(await messages()).toEqual(['anew'])
  slow.close()
  busy.close()
})

const PROGRAM = fileURLToPath(new URL('programs/write-entries.ts', import.meta.url))

const upTo = (count: number, from = 1) => Array.from({ length: count - from + 1 }, (_, index) => from + index)

/** Numbers of a writer's entries that are in the journal at the end, in their order. */
async function numbersOf(name: string, journal: string): Promise<readonly number[]> {
  const { entries } = await readJournal(journal)
  return entries.map(({ entry }) => entry as StepEntry).flatMap(({ id, number }) => (id === name ? [number] : []))
}

test('several processes write at the same time: none of their entries is lost, but for the oldest where a journal is full', async () => {
  const names = ['a', 'b', 'c', 'd']
  const [large, small] = [join(directory, 'large'), join(directory, 'small')]
  await bundleTools([{ name: 'writer', entry: PROGRAM }], directory)
  const writers = names.map((name) =>
    spawn(join(directory, 'bin/writer.cjs'), [name, '200', large, '100000000', small, '20000'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  )
  await Promise.all(writers.map(({ stdout }) => once(stdout, 'data')))
  const ended = writers.map((writer) => once(writer, 'exit'))
  for (const { stdin } of writers) stdin.end('go\n')
  expect((await Promise.all(ended)).map(([status]) => status as number)).toEqual([0, 0, 0, 0])

  const damaged = [large, small].map(async (journal) => (await readJournal(journal)).damaged)
  expect(await Promise.all(damaged)).toEqual([[], []])
  for (const name of names) {
    expect(await numbersOf(name, large)).toEqual(upTo(200))
    const kept = await numbersOf(name, small)
    expect(kept).toEqual(upTo(200, kept[0] ?? 201))
  }
  const files = readdirSync(join(small, 'journal')).map((name) => statSync(join(small, 'journal', name)).size)
  expect(files).toHaveLength(2)
  expect(Math.max(...files)).toBeGreaterThanOrEqual(20_000)
  expect(Math.max(...files)).toBeLessThan(22_000)
})

test.each([
  ['a file stands in its place', () => writeFileSync(join(place, 'journal'), ''), 'remove what is there'],
  ['a directory stands in the place of its file', () => mkdirSync(file(), { recursive: true }), 'permissions'],
])('where %s, that is said, and the status is 73', (_, spoil, hint) => {
  mkdirSync(place, { recursive: true })
  spoil()
  expect(() => openJournal(place)).toThrow(
    expect.objectContaining({ code: 'cannot-write', exitStatus: 73, hint: expect.stringContaining(hint) }),
  )
})

test('a journal that cannot be read is an error', async () => {
  mkdirSync(file(), { recursive: true })
  await expect(readJournal(place)).rejects.toMatchObject({ code: 'cannot-read', exitStatus: 66 })
  rmSync(join(place, 'journal'), { recursive: true })
  writeFileSync(join(place, 'journal'), '')
  await expect(readJournal(place)).rejects.toMatchObject({ code: 'cannot-read', exitStatus: 66 })
})

describe.skipIf(noSmallDisk !== undefined)('on a full disk', () => {
  let disk: SmallDisk
  beforeAll(() => void (disk = smallDisk(256 * 1024)))
  afterAll(() => disk.remove())

  test('an entry that does not fit is refused, those before and after it are whole', async () => {
    place = join(disk.directory, 'coordinator', 'default')
    const journal = openJournal(place)
    journal.append(note('before'))
    disk.fill()
    let written = 0
    const fill = () => {
      for (; written < 1000; written += 1) journal.append(note(`${written} ${'x'.repeat(1000)}`))
    }
    expect(fill).toThrow(expect.objectContaining({ code: 'cannot-write', exitStatus: 73 }))
    disk.free()
    journal.append(note('after'))
    journal.close()
    const found = await messages()
    expect([found[0], found.length, found.at(-1)]).toEqual(['before', written + 2, 'after'])
    expect(readFileSync(file(), 'utf8')).toMatch(/after"\}$/)
  })
})
