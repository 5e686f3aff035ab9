import { spawnSync } from 'node:child_process'

import { expect, test } from 'vitest'

import { receiverScript, serverScript } from '../src/target-runtime.ts'

test.each([
  ['serverScript()', serverScript("it's a marker")],
  ['receiverScript()', receiverScript('/store/.davit/incoming/transfer.1', 'cksum')],
])('%s stays below 40 kB, and is understood by every shell', (_, script) => {
  expect(Buffer.byteLength(script)).toBeLessThan(40_000)
  const results = [['dash'], ['bash', '--posix'], ['busybox', 'sh']].map(([program = '', ...options]) =>
    spawnSync(program, [...options, '-n'], { input: script }),
  )
  const installed = results.filter(({ error }) => error === undefined)
  expect(installed.map(({ status }) => status)).toEqual(installed.map(() => 0))
})
