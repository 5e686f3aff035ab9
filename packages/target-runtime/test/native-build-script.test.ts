import { spawnSync } from 'node:child_process'

import { expect, test } from 'vitest'

import { adoptScript, buildServerScript, senderScript } from '../src/target-runtime.ts'

const marker = "it's a marker"
const places = { directory: '/store', incoming: '/store/i', registrations: '/store/r', logs: '/store/l' }

test.each([
  ['buildServerScript()', buildServerScript({ marker, places, isolations: [['bwrap', 'true']], hidden: ['/home'] })],
  ['senderScript()', senderScript({ marker, directory: '/store', checksum: 'cksum', names: ['a', 'b'] })],
  [
    'adoptScript()',
    adoptScript({
      marker,
      places,
      records: [
        ['a', "it's"],
        ['b', undefined],
      ],
    }),
  ],
])('%s stays below 40 kB, and is understood by every shell', (_, script) => {
  expect(Buffer.byteLength(script)).toBeLessThan(40_000)
  const results = [['dash'], ['bash', '--posix'], ['busybox', 'sh']].map(([program = '', ...options]) =>
    spawnSync(program, [...options, '-n'], { input: script }),
  )
  const installed = results.filter(({ error }) => error === undefined)
  expect(installed.map(({ status }) => status)).toEqual(installed.map(() => 0))
})
