import type { Check, Severity } from '@davit/checkup'
import type { ProfileName } from '@davit/documents'
import { expect, test } from 'vitest'

import { renderCheckup } from '../src/render-checkup.ts'

const check = (severity: Severity): Check => ({ topic: 'keys', severity, text: `it is ${severity}` })

function quietly(...severities: readonly Severity[]): string {
  const coordinator = { name: 'desk', targets: [], checks: severities.map(check) }
  return renderCheckup({ profile: 'default' as ProfileName, coordinator, machines: [] }, { quiet: true })
}

test.each([
  [['ok', 'note'], ''],
  [['ok', 'note', 'warning'], 'this machine (desk)\n  note     it is note\n  warning  it is warning\n'],
  [['error'], 'this machine (desk)\n  error    it is error\n'],
] as const)('quietly, a checkup with %j is %j: a note alone is worth no mail', (severities, text) => {
  expect(quietly(...severities)).toBe(text)
})
