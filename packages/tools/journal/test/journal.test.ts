import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

import { deploymentPlace, type JournalEntry, openJournal } from '@davit/coordinator-state'
import type { ReportEvent } from '@davit/diagnostics'
import type { ProfileName } from '@davit/documents'
import { processIdentity } from '@davit/process'
import type { ToolContext } from '@davit/tool'
import { scratchDirectory } from '@davit/testing/scratch'
import { beforeEach, describe, expect, test } from 'vitest'

import { tool } from '../src/main.ts'

let directory: string
let place: string
beforeEach(() => {
  directory = scratchDirectory()
  place = deploymentPlace(directory, 'default' as ProfileName)
})

/** Runs the tool; returns what it prints and what it reports. */
async function print(args: object = {}) {
  const said: ReportEvent[] = []
  let printed = ''
  await tool.run({
    args: { profile: 'default', number: undefined, since: undefined, format: 'text', verbose: false, ...args },
    print: async (content: string) => void (printed += content),
    report: (event: ReportEvent) => void said.push(event),
    environment: { DAVIT_STATE_DIR: directory },
  } as unknown as ToolContext<never>)
  return { printed, said }
}

const here = processIdentity()
/** Where machines have no id, as in containers, another boot may be that of another machine. */
const RESTARTED = here.machineId === '' ? 'has not ended' : 'did not end'
const ELSEWHERE = { host: 'desk', machineId: 'other', bootId: 'other', pid: 7, startTime: 7, namespace: '7' }

/** Entries of one execution of a tool, on the given day, one second apart. */
function entriesOf(id: string, day: string, fields: readonly object[]): readonly JournalEntry[] {
  return fields.map((entry, index) => ({ time: `${day}T10:00:0${index}.000Z`, id, ...entry }) as JournalEntry)
}

function write(entries: readonly JournalEntry[]): void {
  const journal = openJournal(place)
  for (const entry of entries) journal.append(entry)
  journal.close()
}

const begin = (tool: string, run: string, fields: object = {}) => ({
  kind: 'begin',
  version: 1,
  run,
  tool,
  profile: 'default',
  user: 'alice',
  manifest: 'f00df00df00df00d',
  ...ELSEWHERE,
  ...fields,
})
const step = (kind: string, number: number, activity: string, target = 't1') => ({
  kind,
  number,
  step: `${activity} web in process`,
  target,
  activity,
  service: 'web',
  container: 'process',
})

const ENV = 'davit-env.20261119T100000Z.42'
const DEPLOYMENT = [
  ...entriesOf('a', '2026-11-19', [
    begin('davit-distribute', ENV),
    { kind: 'finished', number: 1, step: 'send packages (all are there)', target: 't1' },
    { kind: 'end', status: 0 },
  ]),
  ...entriesOf('b', '2026-11-19', [begin('davit-lock', ENV)]),
  ...entriesOf('c', '2026-11-19', [
    begin('davit-activate', ENV),
    step('started', 1, 'deactivate'),
    { ...step('finished', 1, 'deactivate'), seconds: 3.2 },
    step('started', 2, 'activate'),
    step('finished', 2, 'activate'),
    step('finished', 3, 'activate', 't2'),
    { kind: 'end', status: 0 },
  ]),
  ...entriesOf('d', '2026-11-19', [
    begin('davit-set', ENV),
    { kind: 'note', message: 'generation 4 on the coordinator', generation: 4 },
    { kind: 'end', status: 0, generation: 4 },
  ]),
  ...entriesOf('b', '2026-11-19', [{ kind: 'end', status: 0 }]),
]
const FAILURE = entriesOf('e', '2026-11-20', [
  begin('davit-activate', 'davit-activate.x.e', { user: 'root', sudoUser: 'bob' }),
  step('started', 1, 'activate'),
  { ...step('failed', 1, 'activate'), message: 'it ended with status 4', log: 'one\n2026-11-20 forged' },
  { kind: 'note', message: 'rolling back' },
  { kind: 'warning', message: 'careful', target: 't1', hint: 'look' },
  { kind: 'end', status: 1, code: 'rolled-back', message: 'the transition failed: everything is as it was before' },
])
const UNLOCK = entriesOf('f', '2026-11-21', [
  begin('davit-unlock', 'davit-unlock.x.f'),
  { kind: 'note', message: 'releasing the lock of bob@desk', target: 't1' },
  { kind: 'warning', message: 'nobody knows why' },
  { kind: 'end', status: 0 },
])

test('a run is a line: when, who, what with which outcome; the steps of one deployment are one run', async () => {
  write([...DEPLOYMENT, ...FAILURE, ...UNLOCK])
  const { printed, said } = await print()
  expect(said).toEqual([])
  expect(printed).toBe(
    [
      '2026-11-19 10:00:00 UTC  alice@desk        davit-env       2 activated, 1 deactivated; done; generation 4',
      '2026-11-20 10:00:00 UTC  bob@desk as root  davit-activate  1 failed; status 1: the transition failed: everything is as it was before',
      '2026-11-21 10:00:00 UTC  alice@desk        davit-unlock    nobody knows why; done',
      '',
    ].join('\n'),
  )
})

test('with -v there is all that was done and said below it, and nothing said is mistaken for a line', async () => {
  write([...DEPLOYMENT, ...FAILURE])
  const { printed } = await print({ verbose: true })
  expect(printed.split('\n').slice(1, 13)).toEqual([
    '  10:00:00 davit-distribute (process 7, manifest f00df00df00d)',
    '  10:00:01 [t1] send packages (all are there): done',
    '  10:00:02 davit-distribute: done',
    '  10:00:00 davit-lock (process 7, manifest f00df00df00d)',
    '  10:00:00 davit-activate (process 7, manifest f00df00df00d)',
    '  10:00:02 [t1] deactivate web in process: done after 3 s',
    '  10:00:04 [t1] activate web in process: done',
    '  10:00:05 [t2] activate web in process: done',
    '  10:00:06 davit-activate: done',
    '  10:00:00 davit-set (process 7, manifest f00df00df00d)',
    '  10:00:01 generation 4 on the coordinator',
    '  10:00:02 davit-set: done',
  ])
  expect(printed.split('\n').slice(-9)).toEqual([
    '  10:00:00 davit-activate (process 7, manifest f00df00df00d)',
    '  10:00:02 [t1] activate web in process: failed: it ended with status 4',
    '               | one',
    '               | 2026-11-20 forged',
    '  10:00:03 rolling back',
    '  10:00:04 [t1] warning: careful',
    '               hint: look',
    '  10:00:05 davit-activate: status 1: the transition failed: everything is as it was before',
    '',
  ])
})

test('of several tools that failed, the first one says why; whatever it says stays on the line', async () => {
  const message = 'it failed\n2026-11-20 10:00:00 UTC  forged\u001b[2J'
  write([
    ...entriesOf('b', '2026-11-19', [begin('davit-lock', ENV)]),
    ...entriesOf('c', '2026-11-19', [begin('davit-activate', ENV), { kind: 'end', status: 2, message }]),
    ...entriesOf('b', '2026-11-20', [{ kind: 'end', status: 2 }]),
  ])
  const { printed } = await print()
  expect(printed).toMatch(/davit-env {2}status 2: it failed\\n2026-11-20 10:00:00 UTC {2}forged\\u001b\[2J\n$/)
  expect(printed.split('\n')).toHaveLength(2)
})

describe('a run without an end', () => {
  const unended = (fields: object) =>
    write(
      entriesOf('g', '2026-11-21', [
        begin('davit-activate', 'davit-activate.x.g', fields),
        step('started', 1, 'activate'),
      ]),
    )

  test.each([
    ['did not end, since its process is gone', { ...here, startTime: 1 }, 'did not end'],
    ['is told as what is known of a machine that was restarted', { ...here, bootId: 'earlier' }, RESTARTED],
    ['still runs', here, 'still runs'],
    ['may run in another container of this machine', { ...here, namespace: '1' }, 'has not ended'],
    ['may run on another machine', ELSEWHERE, 'has not ended'],
  ])('%s', async (_, { pid, startTime, namespace, bootId, machineId, host }, outcome) => {
    unended({ pid, startTime, namespace, bootId, machineId, host })
    const { printed } = await print({ verbose: true })
    expect(printed.split('\n')).toEqual([
      expect.stringMatching(new RegExp(`davit-activate  ${outcome}$`)),
      expect.stringContaining('davit-activate (process'),
      `  10:00:01 [t1] activate web in process: ${outcome}`,
      `           davit-activate: ${outcome}`,
      '',
    ])
  })
})

test('only the last runs, only those since then, and only those of the profile are printed', async () => {
  write([...DEPLOYMENT, ...FAILURE, ...UNLOCK])
  const tools = async (args: object) => (await print(args)).printed.match(/davit-\w+/g) ?? []
  expect(await tools({ number: 2 })).toEqual(['davit-activate', 'davit-unlock'])
  expect(await tools({ since: '2026-11-20 10:00' })).toEqual(['davit-activate', 'davit-unlock'])
  expect(await tools({ since: '2026-11-21', number: 2 })).toEqual(['davit-unlock'])
  const { printed, said } = await print({ profile: 'other' })
  const reason =
    'nothing has been deployed from this coordinator; if its state was lost, davit-reconstruct reads back what targets have'
  expect(printed).toBe('')
  expect(said).toEqual([
    {
      kind: 'note',
      code: 'no-journal',
      fields: { profile: 'other', reason },
      message: `there is no journal of 'other': ${reason}`,
    },
  ])
})

test('programs get the entries as they are, those of later versions included', async () => {
  const later = { kind: 'snapshot', time: '2026-11-21T10:00:09Z', id: 'f', of: ['x'] }
  write([...DEPLOYMENT, ...FAILURE, ...UNLOCK, later as unknown as JournalEntry])
  const { printed } = await print({ number: 1, format: 'json' })
  const lines = printed.trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([...UNLOCK, later])
  expect((await print({ number: 1, verbose: true })).printed).not.toContain('undefined')
})

test('what is damaged is passed over and told; what has lost its beginning is told as far as it is there', async () => {
  write(FAILURE.slice(1))
  appendFileSync(join(place, 'journal/1'), '\n{"kind":"note","ti')
  write(UNLOCK)
  const { printed, said } = await print({ verbose: true })
  expect(said).toEqual([
    {
      kind: 'warning',
      code: 'journal-damaged',
      fields: { line: 7, file: join(place, 'journal/1') },
      message: `skipping line 7 of '${join(place, 'journal/1')}', which is damaged`,
    },
  ])
  expect(printed.split('\n')[0]).toMatch(/^2026-11-20 10:00:01 UTC {2}somebody {4}a tool {8}1 failed; status 1: the/)
  expect(printed).toContain('davit-unlock: done')
})
