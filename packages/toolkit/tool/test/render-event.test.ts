import { asDetail, asDiagnostic, messages, note, type ReportEvent, warning } from '@davit/diagnostics'
import { describe, expect, test } from 'vitest'
import { type BusyStep, renderBusy } from '../src/render-busy.ts'
import { renderEvent, renderEventJson, renderSeconds, type Verbosity } from '../src/render-event.ts'

const say = messages({
  'nothing-to-do': note({}, () => 'nothing to do'),
  sent: note({ target: 'prefix', count: 'number' }, ({ count }) => `${count} paths`),
  slow: warning({ target: 'prefix' }, () => 'slow', 'wait'),
  odd: warning({ name: 'text' }, () => 'odd'),
  quoted: note({ text: 'text' }, ({ text }) => text),
})
const step = { id: '1', target: 'web1', step: 'activating web' }

describe('renderEvent()', () => {
  const events: [ReportEvent, Verbosity, string | undefined][] = [
    [{ kind: 'started', ...step }, 'normal', undefined],
    [{ kind: 'started', ...step }, 'verbose', '[web1] activating web'],
    [{ kind: 'finished', ...step }, 'normal', '[web1] activating web: done'],
    [{ kind: 'finished', id: '1', step: 'building web' }, 'normal', 'building web: done'],
    [{ kind: 'finished', ...step }, 'quiet', undefined],
    [{ kind: 'failed', ...step, message: 'exit status 1' }, 'quiet', '[web1] activating web: failed: exit status 1'],
    [
      { kind: 'failed', ...step, message: 'exit status 1', log: 'one\ntwo\n' },
      'normal',
      '[web1] activating web: failed: exit status 1\n  | one\n  | two',
    ],
    [say('nothing-to-do'), 'normal', 'nothing to do'],
    [say('nothing-to-do'), 'quiet', undefined],
    [asDetail(say('sent', { target: 'web1', count: 3 })), 'normal', undefined],
    [asDetail(say('sent', { target: 'web1', count: 3 })), 'verbose', '[web1] 3 paths'],
    [say('slow', { target: 'web1' }), 'quiet', '[web1] warning: slow\n  hint: wait'],
    [say('quoted', { text: 'a\u001b[31mb\u0007' }), 'normal', 'a\\u001b[31mb\\u0007'],
    [
      {
        kind: 'diagnostic',
        diagnostic: { severity: 'error', message: 'no', place: { file: 'a.yaml', line: 3, column: 2 } },
      },
      'quiet',
      'a.yaml:3:2: error: no',
    ],
  ]
  test.each(events)('%o, %s', (event, verbosity, expected) => {
    expect(renderEvent(event, { verbosity })).toBe(expected)
  })

  test('says how long a long step took', () => {
    const event = { kind: 'finished', ...step } as const
    expect(renderEvent(event, { verbosity: 'normal', seconds: 1.9 })).toBe('[web1] activating web: done')
    expect(renderEvent(event, { verbosity: 'normal', seconds: 65 })).toBe('[web1] activating web: done after 1 min 5 s')
  })
})

describe('renderEventJson()', () => {
  const time = '2026-01-01T00:00:00.000Z'
  const tool = 'davit-sample'

  test('writes one line that reads back as it was', () => {
    const log = 'a\u001b[1m\u009b\u2028\n"'
    const line = renderEventJson(
      { kind: 'failed', ...step, message: 'no', log },
      { verbosity: 'normal', time, tool, seconds: 1.23456 },
    )
    expect(line).not.toMatch(/[\n\u001b\u009b\u2028]/)
    expect(JSON.parse(line ?? '')).toEqual({ time, kind: 'failed', tool, ...step, message: 'no', log, seconds: 1.235 })
  })

  test.each([
    ['quiet', false],
    ['normal', true],
  ] as const)('with %s verbosity: a beginning is shown: %s', (verbosity, shown) => {
    expect(renderEventJson({ kind: 'started', ...step }, { verbosity, time, tool }) !== undefined).toBe(shown)
  })

  test('gives a message with its code and what it is made of', () => {
    const read = (event: ReportEvent): unknown =>
      JSON.parse(renderEventJson(event, { verbosity: 'verbose', time, tool }) ?? '')
    const sent = { time, kind: 'note', tool, code: 'sent', message: '3 paths', target: 'web1', count: 3 }
    expect(read(say('sent', { target: 'web1', count: 3 }))).toEqual(sent)
    expect(read(asDetail(say('sent', { target: 'web1', count: 3 })))).toEqual({ ...sent, kind: 'detail' })
    expect(read(say('slow', { target: 'web1' }))).toMatchObject({ kind: 'warning', code: 'slow', hint: 'wait' })
  })

  test('spreads a diagnostic', () => {
    const path = ['services', 'web']
    const diagnostic = asDiagnostic(say('odd', { name: 'web' }), { path })
    const line = renderEventJson({ kind: 'diagnostic', diagnostic }, { verbosity: 'quiet', time, tool }) ?? ''
    expect(JSON.parse(line)).toEqual({
      time,
      kind: 'diagnostic',
      tool,
      severity: 'warning',
      code: 'odd',
      message: 'odd',
      path,
      name: 'web',
    })
  })
})

describe('renderBusy()', () => {
  const busy = (text: string): BusyStep[] =>
    text.split(', ').map((one) => {
      const [target = '', since = '', ...words] = one.split(' ')
      return { target: target === '-' ? undefined : target, since: Number(since), step: words.join(' ') }
    })

  test.each([
    [
      'one line a target',
      'web1 0 activating web, db1 8000 activating db',
      ['[web1] activating web (10 s)', '[db1] activating db (2 s)'],
    ],
    ['the oldest of a target', 'web1 8000 b, web1 0 a, web1 9000 c', ['[web1] a (10 s, 2 more)']],
    ['steps of the coordinator', '- 0 building web', ['building web (10 s)']],
    ['what fits into the line', `web1 0 ${'x'.repeat(80)}`, [`[web1] ${'x'.repeat(45)}… (10 s)`]],
    ['what is safe', 'web1 0 a\u001b[31m', ['[web1] a\\u001b[31m (10 s)']],
  ])('shows %s', (_, steps, expected) => {
    expect(renderBusy(busy(steps), { columns: 61, rows: 24, now: 10_000 })).toEqual(expected)
  })

  test('leaves half of the screen alone', () => {
    const steps = busy(Array.from({ length: 9 }, (_, index) => `t${index} 0 s`).join(', '))
    const lines = renderBusy(steps, { columns: 80, rows: 8, now: 1000 })
    expect(lines).toEqual(['[t0] s (1 s)', '[t1] s (1 s)', '[t2] s (1 s)', '… and 6 more targets'])
  })
})

test.each([
  [0.4, '0 s'],
  [59.9, '59 s'],
  [60, '1 min 0 s'],
  [3725, '62 min 5 s'],
])('renderSeconds(%d) is %s', (seconds, expected) => {
  expect(renderSeconds(seconds)).toBe(expected)
})
