import type { ServiceMapping } from '@davit/documents'
import type { Activity } from '@davit/transition'
import type { ActivityFailure, TransitionOutcome } from '@davit/transition-runner'
import { expect, test } from 'vitest'

import { outcomeError } from '../src/outcome-error.ts'

const activity = (kind: Activity['kind'], name: string) =>
  ({ kind, service: { name }, mapping: { target: 't1' } as ServiceMapping }) as Activity
const [stopOld, startOld] = [activity('deactivate', 'old'), activity('activate', 'old')]
const [stopNew, startNew] = [activity('deactivate', 'new'), activity('activate', 'new')]
const failure = (one: Activity, ending: ActivityFailure['ending']) => ({ activity: one, ending, message: 'why' })
type Unsuccessful = Exclude<TransitionOutcome, { kind: 'completed' }>

test.each<[string, Partial<Unsuccessful>, string, string[], string]>([
  [
    'what was stopped for certain, and cannot be started again',
    {
      kind: 'old-services-lost',
      failures: [failure(startNew, 'failed')],
      rollbackFailures: [failure(startOld, 'not-begun')],
      remaining: [startOld],
      unknown: [],
    },
    'the transition failed: the new services are gone, and not all of the old ones could be activated again',
    ["cannot activate 'new' on 't1': why", "cannot begin to activate 'old' on 't1': why"],
    "the same command continues from here; what remains: activate 'old' on 't1'",
  ],
  [
    'an old service of which nothing is known',
    {
      kind: 'old-services-lost',
      failures: [failure(stopOld, 'unknown')],
      rollbackFailures: [failure(startOld, 'not-begun')],
      remaining: [startOld],
      unknown: [startOld],
    },
    'the transition failed: the new services are gone, and it is not known whether all of the old ones are active',
    [
      "cannot tell what became of the request to deactivate 'old' on 't1': why",
      "cannot begin to activate 'old' on 't1': why",
    ],
    "the same command continues from here; unknown until the next run: whether 'old' on 't1' runs",
  ],
  [
    'a new service of which nothing is known, and what waits for its end',
    {
      kind: 'new-services-left',
      failures: [failure(startNew, 'unknown')],
      rollbackFailures: [failure(stopNew, 'unknown')],
      remaining: [stopNew, startOld],
      unknown: [stopNew],
    },
    'the transition failed: it is not known whether all of the new services are gone',
    [
      "cannot tell what became of the request to activate 'new' on 't1': why",
      "cannot tell what became of the request to deactivate 'new' on 't1': why",
    ],
    "the same command continues from here; what remains: activate 'old' on 't1'; unknown until the next run: whether 'new' on 't1' runs",
  ],
  [
    'that nothing was changed by what was never begun',
    { kind: 'rolled-back', failures: [failure(stopOld, 'not-begun')] },
    'the transition failed: everything is as it was before',
    ["cannot begin to deactivate 'old' on 't1': why"],
    'fix the cause; then the same command tries again',
  ],
  [
    'what was interrupted and undone',
    { kind: 'rolled-back', failures: [], interrupted: true },
    'the transition was interrupted: everything is as it was before',
    [],
    'the same command tries again',
  ],
])('outcomeError() tells %s', (_, outcome, message, diagnostics, hint) => {
  const error = outcomeError({ interrupted: false, ...outcome } as Unsuccessful, 2)
  expect([error.message, error.diagnostics.map((one) => one.message), error.hint]).toEqual([message, diagnostics, hint])
})

test('programs get what remains, and what is unknown', () => {
  const incomplete = { failures: [failure(startNew, 'failed')], rollbackFailures: [], interrupted: false }
  const lost = { ...incomplete, kind: 'old-services-lost', remaining: [startOld, stopNew], unknown: [stopNew] } as const
  expect(outcomeError(lost, 2).fields).toEqual({
    outcome: 'old-services-lost',
    remaining: [{ activity: 'activate', service: 'old', target: 't1' }],
    unknown: [{ activity: 'deactivate', service: 'new', target: 't1' }],
  })
  const undone = { ...incomplete, kind: 'rolled-back' } as const
  expect(outcomeError(undone, 1).fields).toEqual({ outcome: 'rolled-back', remaining: [], unknown: [] })
})
