import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sampleOf } from '@davit/testing/effort'
import { expect, inject, test } from 'vitest'
import { ROOT } from '../../scripts/executables.ts'
import { summaryOf } from '../../scripts/bench.d/trace-summary.ts'
import { HOSTS_POSSIBLE } from '../harness/hosts.ts'

const BENCH = join(ROOT, 'scripts/bench')

const TRACE = `[
{"ph":"M","name":"process_name","pid":1,"args":{"name":"davit-activate"}},
{"ph":"B","cat":"tool","name":"davit-activate","ts":1000,"pid":1,"tid":1,"args":{}},
{"ph":"B","cat":"request","name":"observe","ts":2000,"pid":1,"tid":2,"args":{"out":10}},
{"ph":"B","cat":"request","name":"observe","ts":2000,"pid":2,"tid":2,"args":{"out":10}},
{"ph":"E","ts":5000,"pid":1,"tid":2,"args":{"in":7}},
{"ph":"B","cat":"step","name":"send packages","ts":6000,"pid":1,"tid":2,"args":{}},
{"ph":"E","ts":7000,"pid":2,"tid":2,"args":{"in":7}},
{"ph":"E","ts":7000,"pid":1,"tid":2,"args":{"outcome":"finished","bytes":400}},
{"ph":"B","cat":"step","name":"activate","ts":7000,"pid":1,"tid":2,"args":{}},
{"ph":"E","ts":9000,"pid":1,"tid":1,"args":{}},
`

test('a trace is summed up by what was done', () => {
  const { counts, bytes, tools, steps } = summaryOf(TRACE)
  expect(counts).toEqual({ tool: 1, connection: 0, helper: 0, channel: 0, request: 2 })
  expect(bytes).toEqual({ out: 20, in: 14, packages: 400 })
  expect(tools).toEqual([{ name: 'davit-activate', count: 1, milliseconds: 8 }])
  expect(steps).toEqual([
    { name: 'request observe', count: 2, milliseconds: 8 },
    { name: 'step send', count: 1, milliseconds: 1 },
  ])
})

/** Benchmarks of what has a trace: the beginnings of their rows, and how many traces are summed up below them. */
const TRACED = [
  { name: 'activity', rows: ['one activity, of 20 on one local target'], traces: 1 },
  {
    name: 'chain-10',
    rows: ['chain of 10 services on 3 hosts: install', '  all changed and the last fails'],
    traces: 2,
  },
  { name: 'native-1000', rows: ['native: 100 services', '  normalize', '  manifest'], traces: 1 },
]
/** Benchmarks without one. Those on many hosts are slower than a test may be. */
const OTHERS = [
  { name: 'plan-10000', rows: ['plan: 1,000 services, 100 targets'], traces: 0 },
  { name: 'plan-manifests-10000', rows: ['plan from a manifest: 1,000 services, 100 targets'], traces: 0 },
]
const TRIED = [...sampleOf(TRACED, 1), ...sampleOf(OTHERS, 1)]

test.runIf(HOSTS_POSSIBLE)('benchmarks work, and say where the time went', { timeout: 600_000 }, async () => {
  const words = ['--quick', '--runs', '1', '--bin', join(inject('prefix'), 'bin'), ...TRIED.map(({ name }) => name)]
  const { stdout } = await promisify(execFile)(BENCH, words)
  const lines = stdout.split('\n')
  for (const row of TRIED.flatMap(({ rows }) => rows))
    expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^${row}.*\\d (?:m?s|MB)`)))
  expect(stdout).not.toContain('BROKEN')
  expect(lines.filter((line) => line.startsWith('    processes: '))).toHaveLength(
    TRIED.reduce((sum, { traces }) => sum + traces, 0),
  )
  expect(stdout).toMatch(/^ {4}\d+ tools, \d+ connections, \d+ helpers, \d+ other channels, \d+ requests$/m)
})
