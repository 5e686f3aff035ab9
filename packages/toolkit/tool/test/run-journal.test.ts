import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type JournalEntry, readJournal } from '@davit/coordinator-state'
import { asDetail, DavitError, messages, note, type ReportEvent, warning } from '@davit/diagnostics'
import type { ProfileName } from '@davit/documents'
import { noSmallDisk, smallDisk } from '@davit/testing/small-disk'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { Host } from '../src/host.ts'
import { createRunJournal, type JournalPurpose } from '../src/run-journal.ts'

const say = messages({
  told: note({ text: 'text' }, ({ text }) => text),
  careful: warning({ target: 'prefix', size: 'number' }, ({ size }) => `careful of ${size}`, 'look'),
  added: note({ generation: 'generation' }, ({ generation }) => `generation ${generation}`),
})
const profile = 'shop' as ProfileName
const activity = { kind: 'activate', service: 'web', container: 'process' }
const step = { id: 'activate web on t1', target: 't1', step: 'activate web in process', activity }

let directory: string
let place: string
let shown: ReportEvent[]
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'davit-run-journal-'))
  place = join(directory, 'state/coordinator/shop')
  shown = []
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const journalIn = (environment: Readonly<Record<string, string>> = {}, privileged = false) => {
  const host = {
    environment: { DAVIT_STATE_DIR: join(directory, 'state'), ...environment },
    privileged,
    argv: ['-s', 'secret'],
  }
  return createRunJournal({
    tool: 'davit-sample',
    host: host as unknown as Host,
    report: (event) => void shown.push(event),
  })
}
const timeless = (entry: JournalEntry) => {
  const { time: _, id: __, ...rest } = entry
  return rest
}
const entries = async () => (await readJournal(place)).entries.map(({ entry }) => entry)

test('a run is written down: its beginning, what it reports but for details, its end', async () => {
  const journal = journalIn({ PASSWORD: 'secret' })
  journal.report(say('told', { text: 'before it begins' }))
  journal.begin({ profile, manifest: 'text' }, 'change')
  const events: ReportEvent[] = [
    asDetail(say('told', { text: 'a detail' })),
    { kind: 'started', ...step },
    { kind: 'started', ...step, id: 'other', step: 'send packages' },
    { kind: 'finished', ...step },
    { kind: 'failed', id: 'other', step: 'send packages', message: 'it broke', log: 'the end' },
    { kind: 'failed', id: 'never begun', step: 'connect', message: 'no route' },
    say('careful', { target: 't1', size: 3 }),
    { kind: 'diagnostic', diagnostic: { severity: 'error', message: 'bad', place: { file: 'm.xml', line: 3 } } },
    say('added', { generation: 7 }),
  ]
  for (const event of events) journal.report(event)
  journal.end(3, new DavitError('transition-failed', 'it failed', { cause: new Error('why') }))

  const found = await entries()
  expect(new Set(found.map(({ id }) => id)).size).toBe(1)
  expect(found.slice(1).map(timeless)).toEqual([
    {
      kind: 'started',
      number: 1,
      step: step.step,
      target: 't1',
      activity: 'activate',
      service: 'web',
      container: 'process',
    },
    {
      kind: 'started',
      number: 2,
      step: 'send packages',
      target: 't1',
      activity: 'activate',
      service: 'web',
      container: 'process',
    },
    expect.objectContaining({ kind: 'finished', number: 1, service: 'web', seconds: expect.any(Number) }),
    {
      kind: 'failed',
      number: 2,
      step: 'send packages',
      message: 'it broke',
      log: 'the end',
      seconds: expect.any(Number),
    },
    { kind: 'failed', number: 3, step: 'connect', message: 'no route' },
    { kind: 'warning', code: 'careful', target: 't1', message: 'careful of 3', hint: 'look' },
    { kind: 'error', message: 'm.xml:3: error: bad' },
    { kind: 'note', code: 'added', message: 'generation 7', generation: 7 },
    { kind: 'end', status: 3, code: 'transition-failed', message: 'it failed', generation: 7 },
  ])
  expect(shown).toEqual([say('told', { text: 'before it begins' }), ...events])
  expect(Object.keys(found[0] ?? {}).join(' ')).toBe(
    'time id kind version run tool profile manifest user host machineId bootId pid startTime namespace',
  )
  expect(found[0]).toMatchObject({
    kind: 'begin',
    tool: 'davit-sample',
    profile: 'shop',
    // printf text | sha256sum
    manifest: '982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1',
    pid: process.pid,
  })
  expect(JSON.stringify(found)).not.toContain('secret')
})

test('the steps of one deployment have the name that they are given; what is no name is not taken', async () => {
  const runOf = async (environment: Readonly<Record<string, string>>) => {
    const journal = journalIn(environment)
    journal.begin({ profile }, 'change')
    expect((await entries()).at(-1)).toMatchObject({ kind: 'begin', run: journal.run })
    return journal.run
  }
  expect(await runOf({ DAVIT_RUN: 'nightly.2026-11-21' })).toBe('nightly.2026-11-21')
  for (const name of ['', 'a b', '\u001b[31m', 'x'.repeat(101)]) {
    expect(await runOf({ DAVIT_RUN: name })).toMatch(/^davit-sample\.\d{8}T\d{6}Z\.[0-9a-f]{12}$/)
  }
})

test('the user who became root by sudo is named', async () => {
  journalIn({ SUDO_USER: 'alice' }, true).begin({ profile }, 'change')
  journalIn({ SUDO_USER: 'alice' }, false).begin({ profile }, 'change')
  expect(await entries()).toMatchObject([{ sudoUser: 'alice' }, expect.not.objectContaining({ sudoUser: 'alice' })])
})

test.each<[JournalPurpose, boolean, boolean]>([
  ['change', true, true],
  ['preparation', false, true],
  ['release', false, false],
])(
  'for a %s, the journal of a deployment that is not known here is made, or not',
  async (purpose, isMade, isMadeInRun) => {
    journalIn().begin({ profile }, purpose)
    expect(existsSync(join(directory, 'state'))).toBe(isMade)
    journalIn({ DAVIT_RUN: 'x' }).begin({ profile }, purpose)
    expect(existsSync(join(directory, 'state'))).toBe(isMadeInRun)
    mkdirSync(place, { recursive: true })
    const before = (await entries()).length
    journalIn().begin({ profile }, purpose)
    expect(await entries()).toHaveLength(before + 1)
  },
)

describe('a journal that cannot be written', () => {
  let message: string
  beforeEach(() => {
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, 'journal'), '')
    message = expect.stringContaining(`cannot write the journal '${join(place, 'journal')}'`) as string
  })

  test.each(['change', 'preparation'] as const)('stops a %s before anything is changed', (purpose) => {
    const hint = expect.stringMatching(/^nothing was changed; .* run the same command again$/) as string
    const journal = journalIn()
    expect(() => journal.begin({ profile }, purpose)).toThrow(
      expect.objectContaining({ message, exitStatus: 73, hint }),
    )
    journal.end(73)
    expect(shown).toEqual([])
  })

  test('does not prevent a release: it is reported once, and the journal begins as soon as possible', async () => {
    const journal = journalIn()
    journal.begin({ profile }, 'release')
    journal.report(say('told', { text: 'freed' }))
    rmSync(join(place, 'journal'))
    journal.end(0)
    expect(shown).toMatchObject([{ kind: 'warning', message }, { kind: 'note' }])
    expect(await entries()).toMatchObject([{ kind: 'begin' }, { kind: 'end' }])
  })
})

test('nobody needs a state directory to prepare something', () => {
  const begin = (purpose: JournalPurpose) => () => journalIn({ DAVIT_STATE_DIR: '' }).begin({ profile }, purpose)
  expect(begin('change')).toThrow('cannot tell where to keep state')
  expect(begin('preparation')).not.toThrow()
})

test.skipIf(noSmallDisk !== undefined)('a disk that fills up meanwhile is told once, and the run goes on', async () => {
  const disk = smallDisk(128 * 1024)
  try {
    place = join(disk.directory, 'coordinator/shop')
    const journal = journalIn({ DAVIT_STATE_DIR: disk.directory })
    journal.begin({ profile }, 'change')
    disk.fill()
    const events = Array.from({ length: 100 }, () => say('told', { text: 'x'.repeat(1000) }))
    for (const event of events) journal.report(event)
    expect(shown.filter(({ kind }) => kind === 'warning')).toMatchObject([
      { message: expect.stringContaining('no space') },
    ])
    expect(shown.filter(({ kind }) => kind === 'note')).toEqual(events)
    disk.free()
    journal.end(0)
    expect((await entries()).at(-1)).toMatchObject({ kind: 'end', status: 0 })
  } finally {
    disk.remove()
  }
})
