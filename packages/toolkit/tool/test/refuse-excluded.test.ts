import { expect, test } from 'vitest'

import type { Option } from '../src/option.ts'
import { isGiven, refuseExcluded } from '../src/refuse-excluded.ts'

const describe = 'an option'
const OPTIONS: ReadonlyMap<string, Option> = new Map(
  Object.entries({
    confirm: { type: 'integer', describe, excludes: ['no-lock', 'abandon', 'delete-state'] },
    lock: { type: 'boolean', default: true, describe },
    abandon: { type: 'list', describe },
    'dry-run': { type: 'boolean', describe },
    format: { type: 'choice', choices: ['text', 'json'], default: 'text', describe },
  } as const satisfies Record<string, Option>),
)
const USUAL = { confirm: undefined, lock: true, abandon: [], dryRun: false, format: 'text' }

test.each([
  ['confirm', { confirm: 5 }],
  ['no-lock', { lock: false }],
  ['abandon', { abandon: ['web'] }],
  ['dry-run', { dryRun: true }],
  ['format', { format: 'json' }],
])('%s is given if its value is not the usual one', (name, values) => {
  expect([isGiven(name, OPTIONS, USUAL), isGiven(name, OPTIONS, { ...USUAL, ...values })]).toEqual([false, true])
})

test.each([
  [{ confirm: 5, lock: false }, 'no-lock'],
  [{ confirm: 5, abandon: ['web'] }, 'abandon'],
])('%j are refused together, by their names', (values, other) => {
  expect(() => refuseExcluded(OPTIONS, { ...USUAL, ...values })).toThrow(
    `options '--confirm' and '--${other}' cannot be combined`,
  )
})

test.each([{ confirm: 5 }, { lock: false }, { abandon: ['web'] }, { confirm: 5, dryRun: true }])(
  '%j are accepted, although a row excludes options that this tool does not have',
  (values) => {
    expect(() => refuseExcluded(OPTIONS, { ...USUAL, ...values })).not.toThrow()
  },
)
