import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { System } from '@davit/documents'
import { noPrivateNix, privateNixOfFile } from '@davit/testing/private-nix'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'
import { outputPathOf } from '../src/native/derivation.ts'
import { unsetVariableIn } from '../src/unset-variable.ts'
import { nixStore, realisedIn } from './nix-packages.ts'
import { build, HERE } from './package-specs.ts'
import { failureOf, realised, temporaryStore, writeTree } from './temporary-store.ts'

const nix = privateNixOfFile({ settings: [`system = ${HERE}`] })
const web = () => ({ sources: { web: writeTree({ file: '' }) }, env: { COUNTER: '1' } })
const SCRIPT = 'mkdir $out\ncat "$source/file"\n'
const TOLD = /the build of 'web' (?:ended|failed) with exit/

test("realise() stops a build at a variable that is not set, and names the script's line and its variables", async () => {
  const store = await temporaryStore()
  const message = await failureOf(realised(store, build('web', SCRIPT, web())))
  expect(message).toMatch(TOLD)
  expect(message).toContain(
    ": line 2 of its script uses '$source', which is not set: its variables are $COUNTER, $out, $web\n",
  )
  const near = build('web', '\n: "$wbe"', web())
  expect(await failureOf(realised(store, near))).toContain(
    "line 2 of its script uses '$wbe', which is not set: did you mean '$web'?",
  )
})

test('realise() builds scripts that allow for unset variables', async () => {
  const [pkg] = await realised(await temporaryStore(), build('web', 'echo "${none-}${none:+x}" >$out'))
  expect(readFileSync(pkg!.outPath, 'utf8')).toBe('\n')
})

test('the shell and limits of a build are not part of the identity of its output', () => {
  const derivation = { name: 'web', system: 'x' as System, script: ':', network: false }
  const tables = { environment: new Map([['a', 'b']]), sources: new Map(), inputs: new Map() }
  expect(outputPathOf('/store', { ...derivation, ...tables })).toBe('/store/6yn1pr1rpz0s1sl1fi2vhv8iv53d3m7k-web')
})

test.each([
  ['dash', []],
  ['bash', ['--posix']],
  ['busybox', ['sh']],
] as const)('what %s says of a variable that is not set is understood', (shell, options) => {
  const files = join(scratchDirectory(), 'files')
  writeTree({ script: '\n: "$(echo "$absent")"\n' }, files)
  const { error, stderr } = spawnSync(shell, [...options, '-eu', join(files, 'script')], { encoding: 'utf8' })
  if (error !== undefined) return
  expect(unsetVariableIn(stderr, ['absence'])).toBe(
    ": line 2 of its script uses '$absent', which is not set: did you mean '$absence'?",
  )
})

test.skipIf(noPrivateNix !== undefined)('realise() of Nix does the same', async () => {
  const store = await nixStore(nix)
  const message = await failureOf(realisedIn(store, build('web', SCRIPT, web())))
  expect(message).toMatch(TOLD)
  expect(message).toContain(
    ": line 2 of its script uses '$source', which is not set: its variables are $COUNTER, $out, $web\n",
  )
})

test.each([
  ['/tmp/files/script: 12: a: parameter not set', 'line 12'],
  ['/s/.davit/incoming/build.x/files/script: line 3: a: unbound variable\nmore', 'line 3'],
  ['/tmp/files/script: line 3: a: parameter not set', 'line 3'],
  ['./other.sh: line 3: a: unbound variable', undefined],
  ['/nix/store/stdenv/setup: line 3: a: unbound variable', undefined],
  ['', undefined],
])('unsetVariableIn(%j)', (log, line) => {
  expect(unsetVariableIn(log, [])).toBe(
    line === undefined ? '' : `: ${line} of its script uses '$a', which is not set: its variables are $out`,
  )
})

test('unsetVariableIn() lists some of many', () => {
  const names = Array.from({ length: 30 }, (_, index) => `VARIABLE_${index + 10}`)
  expect(unsetVariableIn('/x/files/script: 1: a: parameter not set', names)).toMatch(/ \$VARIABLE_21, 19 more$/)
})
