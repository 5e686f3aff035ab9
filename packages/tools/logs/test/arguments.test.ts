import { runHere } from '@davit/tool/testing'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'

import { tool } from '../src/main.ts'

test.each([
  [[], "no service is named [usage]\nhint: 'davit-query' lists those that are active"],
  [['api', '--since', 'yesterday'], "option '--since' cannot be 'yesterday' [usage]"],
  [['api', '--lines', '-1'], '--lines'],
  [['api', '--format', 'xml'], "'--format'"],
  [['api', '-i', 'x.yaml', '--deployed'], "'x.yaml' and --deployed cannot be combined"],
])('davit-logs %j is wrong usage', async (argv, message) => {
  const { status, stdout, stderr } = await runHere(tool, argv, { environment: { DAVIT_STATE_DIR: scratchDirectory() } })
  expect([status, stdout, stderr]).toEqual([64, '', expect.stringContaining(message)])
})

test('davit-logs says so if nothing is deployed', async () => {
  const { status, stdout, stderr } = await runHere(tool, ['api'], {
    environment: { DAVIT_STATE_DIR: scratchDirectory() },
  })
  expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining("nothing is deployed as 'default'")])
})
