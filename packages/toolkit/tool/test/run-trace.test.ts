import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { messages, note, type ReportEvent } from '@davit/diagnostics'
import { noSmallDisk, smallDisk } from '@davit/testing/small-disk'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { openRunTrace, type RunTrace } from '../src/run-trace.ts'

interface TraceEvent {
  readonly ph: string
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly args: Readonly<Record<string, unknown>>
}

let directory: string
let file: string
let told: ReportEvent[]
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'davit-run-trace-'))
  file = join(directory, 'trace.json')
  told = []
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const opened = (tool = 'davit-sample', name = file): RunTrace =>
  openRunTrace({ tool, host: { environment: { DAVIT_TRACE: name } }, report: (event) => void told.push(event) })

/** Reads a trace as viewers do, which add the bracket that is missing at the end. */
const eventsIn = (text: string) => JSON.parse(`${text.trimEnd().replace(/,$/, '')}]`) as TraceEvent[]
const events = () => eventsIn(readFileSync(file, 'utf8'))
const warned = () => told.map((event) => ('message' in event ? event.message : event.kind))

test('without the variable, nothing is written, and there is nothing to begin a span with', () => {
  const report = () => {}
  for (const environment of [{}, { DAVIT_TRACE: '' }]) {
    const trace = openRunTrace({ tool: 'davit-sample', host: { environment }, report })
    expect([trace.begin, trace.report]).toEqual([undefined, report])
    trace.end()
  }
})

test('spans that overlap get rows of their own, and a row that is free is used again', () => {
  const { begin, end } = opened()
  const first = begin?.({ kind: 'request', name: 'observe', place: 'web1', fields: { out: 10 } })
  const second = begin?.({ kind: 'request', name: 'lock', place: 'web1' })
  first?.({ in: 20 })
  begin?.({ kind: 'request', name: 'renew', place: 'web1' })({})
  second?.()
  end()
  const rows = new Map(
    events().flatMap(({ name, tid, args }) => (name === 'thread_name' ? [[tid, args['name']] as const] : [])),
  )
  const shown = events().flatMap(({ ph, name, tid, args }) => (ph === 'M' ? [] : [[ph, rows.get(tid), name, args]]))
  expect(shown).toEqual([
    ['B', 'davit-sample', 'davit-sample', {}],
    ['B', 'web1', 'observe', { out: 10 }],
    ['B', 'web1 (2)', 'lock', {}],
    ['E', 'web1', undefined, { in: 20 }],
    ['B', 'web1', 'renew', {}],
    ['E', 'web1', undefined, {}],
    ['E', 'web1 (2)', undefined, {}],
    ['E', 'davit-sample', undefined, {}],
  ])
  const times = events().flatMap(({ ph, ts }) => (ph === 'M' ? [] : [ts]))
  expect(times).toEqual(times.toSorted((left, right) => left - right))
})

test('steps are traced as they are reported, without the messages and logs of those that fail', () => {
  const { report } = opened()
  const activity = { kind: 'activate', service: 'web', container: 'process' }
  const say = messages({ told: note({ text: 'text' }, ({ text }) => text) })
  const reported: ReportEvent[] = [
    { kind: 'started', id: 'a', target: 't1', step: 'activate web in process', activity },
    { kind: 'started', id: 'b', target: 't2', step: 'send packages' },
    say('told', { text: 'hush' }),
    { kind: 'failed', id: 'a', target: 't1', step: 'activate web in process', message: 'hush', log: 'hush' },
    { kind: 'finished', id: 'b', target: 't2', step: 'send 2 packages (5 B)', bytes: 5 },
    { kind: 'failed', id: 'never begun', step: 'connect', message: 'hush' },
  ]
  for (const event of reported) report(event)
  expect(told).toEqual(reported)
  expect(
    events()
      .flatMap(({ ph, name, args }) => (ph === 'M' ? [] : [[ph, name, args]]))
      .slice(1),
  ).toEqual([
    ['B', 'activate', { service: 'web', container: 'process' }],
    ['B', 'send packages', {}],
    ['E', undefined, { outcome: 'failed' }],
    ['E', undefined, { outcome: 'finished', bytes: 5 }],
  ])
  expect(readFileSync(file, 'utf8')).not.toContain('hush')
})

test('a further tool of a process does not begin with the process', () => {
  opened('davit-first').end()
  const startTime = Date.now() - 5_000
  openRunTrace({ tool: 'davit-second', host: { environment: { DAVIT_TRACE: file }, startTime }, report() {} }).end()
  const spans = events().filter(({ ph }) => ph === 'B')
  expect(spans.map(({ name }) => name)).toEqual(['davit-first', 'davit-second'])
  expect(spans[1]?.ts).toBeGreaterThanOrEqual(spans[0]?.ts ?? Infinity)
})

test('every line leaves a trace that can be read, also when a run ends in the middle', () => {
  const { begin } = opened()
  begin?.({ kind: 'work', name: 'plan' })({})
  begin?.({ kind: 'work', name: 'never ended' })
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  for (let count = 2; count <= lines.length; count += 1)
    expect(eventsIn(lines.slice(0, count).join('\n'))).toHaveLength(count - 1)
})

test('several tools add to one file, which may be empty at first', () => {
  writeFileSync(file, '')
  const tools = ['davit-one', 'davit-two', 'davit-three'].map((tool) => opened(tool))
  for (const { end } of tools) end()
  opened('davit-four').end()
  const spans = events().flatMap(({ ph, name, tid }) => (ph === 'B' ? [[name, tid] as const] : []))
  expect(spans.map(([name]) => name)).toEqual(['davit-one', 'davit-two', 'davit-three', 'davit-four'])
  expect(new Set(spans.map(([, row]) => row)).size).toBe(4)
  expect(told).toEqual([])
})

test('another document is left as it is, and the run goes on without a trace', () => {
  writeFileSync(file, '{"document":"manifest"}')
  const { begin, end } = opened()
  end()
  expect(begin).toBe(undefined)
  expect(warned()).toEqual([`cannot write the trace '${file}': it contains something else`])
  expect(readFileSync(file, 'utf8')).toBe('{"document":"manifest"}')
})

test.each([
  ['a directory', () => mkdirSync(file), 'it is a directory'],
  ['a pipe', () => spawnSync('mkfifo', [file]), 'it is not a regular file'],
  ['a link to nothing', () => symlinkSync(join(directory, 'other.json'), file), 'it is a link'],
])('%s is no trace, and the run goes on without one', (_, make, reason) => {
  make()
  expect(opened().begin).toBe(undefined)
  expect(warned()).toEqual([`cannot write the trace '${file}': ${reason}`])
})

test.skipIf(noSmallDisk)('a disk that becomes full ends the trace, with one warning', () => {
  const disk = smallDisk(1_000_000)
  try {
    const { begin, end } = opened('davit-sample', join(disk.directory, 'trace.json'))
    disk.fill()
    // The block that the file has already is used up first.
    for (let count = 0; count < 100; count += 1) begin?.({ kind: 'work', name: 'plan' })()
    end()
    expect(warned()).toEqual([expect.stringMatching(/^cannot write the trace '.*': no space left on device$/)])
  } finally {
    disk.remove()
  }
})

test('tools that share a process say only once that a file cannot be written', () => {
  opened('davit-env', directory)
  opened('davit-set', directory)
  expect(warned()).toEqual([expect.stringContaining(directory)])
})
