import type { Check } from '@davit/checkup'
import { FORGERIES, forgeriesIn } from '@davit/testing/hostile'
import { expect, test } from 'vitest'

import { renderCheckup } from '../src/render-checkup.ts'

function shown(text: string): string {
  const check: Check = { topic: 'keys', severity: 'warning', text, means: text, remedy: text }
  const subject = { name: text, targets: [text as never], checks: [check] }
  return renderCheckup({ profile: text as never, coordinator: subject, machines: [subject] }, { quiet: false })
}

test.each(FORGERIES)('a checkup with %j has the lines of any other', (text) => {
  expect(forgeriesIn(shown(text), shown('plain'))).toEqual([])
})
