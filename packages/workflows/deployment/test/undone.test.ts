import type { TargetName } from '@davit/documents'
import type { Activity } from '@davit/transition'
import { describe, expect, test } from 'vitest'

import { outcomeError } from '../src/outcome-error.ts'
import type { Fate } from '../src/trial/go-back.ts'
import { undone } from '../src/trial/undone.ts'

const start = (name: string, target: string) =>
  ({
    kind: 'activate',
    id: `activate ${name}`,
    service: { name },
    mapping: { target: target as TargetName, container: 'process', service: name },
  }) as unknown as Activity
const [WEB, DB, MAIL] = [start('web', 't1'), start('db', 't2'), start('mail', 't3')]

const LOST = {
  kind: 'old-services-lost',
  failures: [],
  interrupted: false,
  rollbackFailures: [],
  remaining: [WEB, DB, MAIL],
  unknown: [MAIL],
} as const
const ROLLED_BACK = { kind: 'rolled-back', failures: [], interrupted: false } as const
const fates = (...kinds: readonly Fate['kind'][]) =>
  kinds.map((kind, index) => ({ target: `t${index + 1}`, fate: { kind } as Fate }))

describe('a deployment on trial that failed', () => {
  test('is rolled back once all targets have gone back, whatever it could undo itself', () => {
    expect(undone(LOST, fates('back', 'back', 'back'))).toEqual(ROLLED_BACK)
  })

  test('leaves nothing to be done on targets that have gone back, and does not know about others that go back', () => {
    const outcome = undone(LOST, fates('back', 'unknown', 'going-back'))
    expect(outcome).toEqual({ ...LOST, remaining: [DB, MAIL], unknown: [DB, MAIL] })
    expect(outcomeError(outcome, 2).hint).toBe(
      "the same command continues from here; unknown until the next run: whether 'db' on 't2' runs, whether 'mail' on 't3' runs",
    )
  })

  test('leaves what a target could not undo either', () => {
    const outcome = undone(LOST, fates('not-all', 'back', 'back'))
    expect(outcome).toEqual({ ...LOST, remaining: [WEB], unknown: [] })
  })

  test('never counts as rolled back if a target could not start or stop something on the way', () => {
    expect(undone(ROLLED_BACK, fates('back', 'not-all'))).toMatchObject({ kind: 'old-services-lost', unknown: [] })
    expect(undone(ROLLED_BACK, fates('back', 'unknown'))).toEqual(ROLLED_BACK)
  })

  test('stays lost to another run', () => {
    const outcome = { ...LOST, kind: 'lock-lost', error: undefined } as const
    expect(undone(outcome, fates('back', 'back', 'back'))).toEqual({ ...outcome, remaining: [], unknown: [] })
  })
})
