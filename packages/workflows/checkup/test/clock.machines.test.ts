import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { DavitError } from '@davit/diagnostics'
import { scratchDirectory } from '@davit/testing/scratch'
import { describe, expect, test } from 'vitest'

import { ownClockChecks } from '../src/coordinator/clock-checks.ts'
import type { CheckupTerms } from '../src/terms.ts'

/** Terms in which systemd answers what a script prints; there is none without a script. */
function terms(script?: string, signal = new AbortController().signal) {
  const directory = scratchDirectory()
  const program = join(directory, 'timedatectl')
  if (script !== undefined) writeFileSync(program, `#!/bin/sh\n${script}\n`)
  if (script !== undefined) chmodSync(program, 0o755)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { environment: { PATH: directory }, signal } as unknown as CheckupTerms
}

describe('ownClockChecks()', () => {
  test.each([
    ['says yes', 'echo yes', ['ok']],
    ['says no', 'echo no', ['warning']],
    ['fails', 'echo no; exit 1', []],
    ['is not there', undefined, []],
  ])('finds what is known where systemd %s', async (_, script, severities) => {
    expect((await ownClockChecks(terms(script))).map(({ severity }) => severity)).toEqual(severities)
  })

  test('takes no interruption for an answer', async () => {
    const interrupted = AbortSignal.abort(new DavitError('interrupted', 'enough'))
    await expect(ownClockChecks(terms('echo yes', interrupted))).rejects.toMatchObject({ code: 'interrupted' })
  })
})
