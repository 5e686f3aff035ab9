import type { Plan } from '@davit/deployment'
import { messages, note, type ReportEvent, warning } from '@davit/diagnostics'
import { expect, test } from 'vitest'

import { transitionNotes } from '../src/transition-notes.ts'

const say = messages({
  'activity-planned': note({}, () => 'activate web'),
  'not-activated': warning({ target: 'prefix' }, () => 'web is not activated'),
  long: note({}, () => 'x'.repeat(3_000)),
})

test('notes what was reported, and passes it on; steps of the plan are not noted twice', () => {
  const told: ReportEvent[] = []
  const notes = transitionNotes((event) => told.push(event))
  const events: readonly ReportEvent[] = [
    say('activity-planned'),
    say('not-activated', { target: 't1' }),
    { kind: 'started', id: 'a', step: 'a' },
    say('long'),
  ]
  for (const event of events) notes.report(event)
  expect(told).toEqual(events)
  notes.tellPlan({ transition: { phases: [], skipped: [], outdated: [] } } as unknown as Plan)
  expect(notes.of('{}')).toMatchObject({
    manifest: '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
    steps: [],
    messages: [
      { kind: 'warning', code: 'not-activated', message: 'web is not activated', target: 't1' },
      { kind: 'note', code: 'long', message: 'x'.repeat(2_000) },
    ],
  })
})

test('a run that reports without end is noted up to a limit', () => {
  const notes = transitionNotes(() => {})
  for (let count = 0; count < 2_000; count += 1) notes.report(say('long'))
  expect(notes.of('').messages).toHaveLength(1_000)
})
