import { Writable } from 'node:stream'
import { messages, note } from '@davit/diagnostics'
import { expect, test, vi } from 'vitest'
import type { MessageStream } from '../src/host.ts'
import { createProgress, type ProgressOptions } from '../src/progress.ts'

const say = messages({ 'half-done': note({}, () => 'half done') })
const web = { id: '1', target: 'web1', step: 'activating web' }
const database = { id: '2', target: 'db1', step: 'activating database' }

function screen(
  options: Partial<ProgressOptions> & {
    readonly terminal?: boolean
    readonly size?: { columns: number; rows: number }
  } = {},
) {
  let text = ''
  const stream: MessageStream = Object.assign(
    new Writable({
      write(chunk, _, done) {
        text += String(chunk)
        done()
      },
    }),
    options.terminal ? { isTTY: true, columns: 80, rows: 24, ...options.size } : {},
  )
  const progress = createProgress({
    tool: 'davit-sample',
    format: 'text',
    verbosity: 'normal',
    color: false,
    cursor: true,
    now: Date.now,
    ...options,
    stream,
  })
  return { ...progress, shown: () => text }
}

test('a pipe gets a line when a step ends', () => {
  const { report, close, shown } = screen()
  report({ kind: 'started', ...web })
  report({ kind: 'finished', ...web })
  close()
  expect(shown()).toBe('[web1] activating web: done\n')
})

test('a pipe gets a line before that when a step takes its time', () => {
  vi.useFakeTimers()
  try {
    const { report, close, shown } = screen()
    report({ kind: 'started', ...web })
    report({ kind: 'started', ...database })
    report({ kind: 'finished', ...database })
    vi.advanceTimersByTime(3000)
    report({ kind: 'finished', ...web })
    close()
    expect(shown()).toBe(
      '[db1] activating database: done\n[web1] activating web …\n[web1] activating web: done after 3 s\n',
    )
  } finally {
    vi.useRealTimers()
  }
})

test('a terminal gets a line for each busy target, drawn anew in place', () => {
  const { report, close, shown } = screen({ terminal: true, now: () => 0 })
  report({ kind: 'started', ...web })
  report({ kind: 'started', ...database })
  report({ kind: 'finished', ...web })
  report(say('half-done'))
  close()
  const busyWeb = '[web1] activating web (0 s)\n'
  const busyDatabase = '[db1] activating database (0 s)\n'
  const up = (lines: number) => `\r\u001b[${lines}A\u001b[J`
  expect(shown()).toBe(
    [
      busyWeb,
      up(1),
      busyWeb,
      busyDatabase,
      up(2),
      '[web1] activating web: done\n',
      busyDatabase,
      up(1),
      'half done\n',
      busyDatabase,
      up(1),
    ].join(''),
  )
})

test('a terminal that cannot move its cursor gets lines like a pipe', () => {
  const { report, close, shown } = screen({ terminal: true, cursor: false })
  report({ kind: 'started', ...web })
  report({ kind: 'finished', ...web })
  close()
  expect(shown()).toBe('[web1] activating web: done\n')
})

test('a terminal that calls its size 0 by 0 has 80 columns and 24 rows', () => {
  const { report, close, shown } = screen({ terminal: true, size: { columns: 0, rows: 0 }, now: () => 0 })
  report({ kind: 'started', ...web, step: 'a'.repeat(60) })
  report({ kind: 'started', ...database })
  close()
  expect(shown()).toContain(`[web1] ${'a'.repeat(60)} (0 s)\n[db1] activating database (0 s)\n`)
})

test('a terminal shows failures in colour, if it may', () => {
  const failure = { kind: 'failed', ...web, message: 'no' } as const
  const colored = screen({ terminal: true, color: true })
  colored.report(failure)
  expect(colored.shown()).toBe('\u001b[31m[web1] activating web: failed: no\u001b[39m\n')
  const plain = screen({ terminal: true })
  plain.report(failure)
  expect(plain.shown()).toBe('[web1] activating web: failed: no\n')
})

test.each([true, false])('the log of a failure is left to the error at the end (terminal: %s)', (terminal) => {
  const { report, close, shown } = screen({ terminal })
  report({ kind: 'failed', ...web, message: 'no', log: 'what it printed' })
  close()
  expect(shown()).toBe('[web1] activating web: failed: no\n')
})

test('a machine gets a line of JSON an event', () => {
  const { report, shown } = screen({ format: 'json', now: () => 0 })
  report({ kind: 'started', ...web })
  report({ kind: 'finished', ...web })
  const lines = shown().trimEnd().split('\n')
  const time = '1970-01-01T00:00:00.000Z'
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { time, kind: 'started', tool: 'davit-sample', ...web },
    { time, kind: 'finished', tool: 'davit-sample', ...web, seconds: 0 },
  ])
})
