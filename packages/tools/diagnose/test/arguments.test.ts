import { scratchDirectory } from '@davit/testing/scratch'
import { runHere } from '@davit/tool/testing'
import { expect, test } from 'vitest'

import { tool } from '../src/main.ts'

test.each([
  [[], 64, '--service'],
  [['-S', 'api'], 1, "nothing is deployed as 'default'"],
])('davit-diagnose %j ends with a message', async (argv, expected, message) => {
  const { status, stdout, stderr } = await runHere(tool, argv, { environment: { DAVIT_STATE_DIR: scratchDirectory() } })
  expect([status, stdout, stderr]).toEqual([expected, '', expect.stringContaining(message)])
})
