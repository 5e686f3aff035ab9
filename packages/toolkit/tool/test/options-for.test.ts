import { expect, test } from 'vitest'

import { optionsFor } from '../src/options-for.ts'
import type { OptionTable } from '../src/option.ts'

const describe = 'an option'
const STEP = {
  options: {
    profile: { type: 'string', default: 'default', env: ['DAVIT_PROFILE'], describe },
    lock: { type: 'boolean', default: true, describe },
    rollback: { type: 'boolean', default: true, describe },
    'skip-unreachable': { type: 'boolean', describe },
    on: { type: 'list', describe },
    'lock-lease': { type: 'integer', default: 60, env: ['DAVIT_LOCK_LEASE'], describe },
  } as const satisfies OptionTable,
}
const USUAL = { profile: 'default', lock: true, rollback: true, skipUnreachable: false, on: [], lockLease: 60 }
const optionsOf = (order: object, environment = {}) => optionsFor(STEP, order, { environment })

test('a step whose order says nothing has its usual options', () => {
  expect(optionsOf({})).toEqual(USUAL)
})

test('an argument of the order reaches the option of its name, and a negated one the option without "no"', () => {
  const order = { profile: 'shop', noLock: true, skipUnreachable: true, on: ['web'], keep: 3 }
  expect(optionsOf(order)).toEqual({ ...USUAL, profile: 'shop', lock: false, skipUnreachable: true, on: ['web'] })
})

test('an option that is on by default is only turned off by its negation, since an order may have its name for something else', () => {
  expect(optionsOf({ rollback: false })).toEqual(USUAL)
  expect(optionsOf({ rollback: true, noRollback: true })).toEqual({ ...USUAL, rollback: false })
})

test('a variable says what the order does not say', () => {
  const environment = { DAVIT_PROFILE: 'theirs', DAVIT_LOCK_LEASE: '9' }
  expect(optionsOf({}, environment)).toEqual({ ...USUAL, profile: 'theirs', lockLease: 9 })
  expect(optionsOf({ profile: 'shop' }, environment)).toMatchObject({ profile: 'shop', lockLease: 9 })
})

test('an invalid variable is refused', () => {
  expect(() => optionsOf({}, { DAVIT_LOCK_LEASE: 'soon' })).toThrow("variable 'DAVIT_LOCK_LEASE' cannot be 'soon'")
})
