import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

import { expect, test } from 'vitest'

import { runtime } from '../src/runtime-script.ts'
import { collectorScript, type NixOperation, nixScript, receiverScript, serverScript } from '../src/target-runtime.ts'

const transfer = { incoming: '/store/.davit/incoming', name: 'transfer.1', owner: '1:2:boot' }
const operations: readonly NixOperation[] = [{ kind: 'serve' }, { kind: 'build', jobs: 2 }]

test.each<readonly [string, string]>([
  ['serverScript()', serverScript("it's a marker")],
  ['collectorScript()', collectorScript('marker')],
  ['receiverScript()', receiverScript(transfer, 'cksum')],
  ...operations.map((operation) => [`nixScript() of ${operation.kind}`, nixScript(operation, 'marker')] as const),
])('%s stays below 40 kB, and is understood by every shell', (_, script) => {
  expect(Buffer.byteLength(script)).toBeLessThan(40_000)
  const results = [['dash'], ['bash', '--posix'], ['busybox', 'sh']].map(([program = '', ...options]) =>
    spawnSync(program, [...options, '-n'], { input: script }),
  )
  const installed = results.filter(({ error }) => error === undefined)
  expect(installed.map(({ status }) => status)).toEqual(installed.map(() => 0))
})

test.each([['dash'], ['bash'], ['busybox', 'sh']])('what is not set ends the runtime in %s', (program, ...options) => {
  const input = `${runtime(['common'])}\necho begun\n: "$not_set"\necho ended\n`
  const { error, status, stdout } = spawnSync(program, options, { input, encoding: 'utf8' })
  if (error !== undefined) return
  expect([stdout, status === 0]).toEqual(['begun\n', false])
})

test('the runtime calls no function that there is not', () => {
  const directory = new URL('../runtime/', import.meta.url)
  const text = readdirSync(directory)
    .map((name) => readFileSync(new URL(name, directory), 'utf8').replaceAll(/^\s*#.*$/gm, ''))
    .join('\n')
  const defined = new Set([...text.matchAll(/^([a-z_]+)\(\)/gm)].map(([, name]) => name))
  const calls = /(?:^|[;|&!({]|\b(?:then|do|else|if|elif|while|until)\b)[ \t]*([a-z]+_[a-z_]+)(?=[ \t\n;)])/gm
  const called = new Set([...text.matchAll(calls)].map(([, name]) => name))
  expect(called.size).toBeGreaterThan(50)
  // Requests name operations without what their functions begin with.
  expect([...called].filter((name) => !defined.has(name) && !defined.has(`operation_${name}`))).toEqual([])
})
