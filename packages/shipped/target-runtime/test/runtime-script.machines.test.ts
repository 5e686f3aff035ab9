import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

import { describe, expect, test } from 'vitest'

import { EVERYBODY } from '../src/operation.ts'
import { type OperationName, OPERATIONS, operation } from '../src/operations.ts'
import { runtime } from '../src/runtime-script.ts'
import {
  adoptScript,
  buildServerScript,
  CLIENT_OPERATIONS,
  clientScript,
  directSenderScript,
  executableScript,
  helperText,
  loaded,
  nixScript,
  originalLockScript,
  receiverScript,
  senderScript,
} from '../src/target-runtime.ts'

const OPERATION_NAMES = Object.keys(OPERATIONS) as readonly OperationName[]
const SHELLS = [['dash'], ['bash'], ['busybox', 'sh']].filter(
  ([program = '']) => spawnSync(program, ['--help']).error === undefined,
)
const marker = "it's a marker"
const predecessor = '1:2:boot'
const places = { directory: '/store', incoming: '/store/i', registrations: '/store/r', logs: '/store/l' }
const records = [{ name: 'a', valid: { record: "it's", time: 1_000_000_000 } }, { name: 'b' }]

const peer = { hostname: 'h', port: 22, user: 'u', knownHosts: "it's\n", alias: 'peer' }

const module = {
  name: 'm',
  hash: 'h',
  script: "#!/bin/sh\necho it's\n",
  activities: undefined,
  precedence: 'last',
} as const

/** Returns the script of a helper that can carry out the operation. */
function scriptFor(name: OperationName): string {
  const [role] = operation(name).roles
  return helperText({ role: role ?? 'deploy', marker, predecessor, operations: [name] }).script
}

/** All scripts that are sent. */
const SCRIPTS: readonly (readonly [string, string])[] = [
  ...EVERYBODY.map((role) => [`helperText() of ${role}`, helperText({ role, marker, predecessor }).script] as const),
  ...OPERATION_NAMES.map((name) => [`helperText() for ${name}`, scriptFor(name)] as const),
  ['receiverScript()', receiverScript({ incoming: '/store/i', name: 'transfer.1', owner: predecessor }, 'cksum')],
  ['originalLockScript() of hold', originalLockScript({ marker, work: 'hold', state: '/s', profile: 'p' })],
  ['originalLockScript() of drop', originalLockScript({ marker, work: 'drop', state: '/s', profile: 'p' })],
  ['nixScript() of serve', nixScript({ kind: 'serve' }, marker)],
  ['nixScript() of build', nixScript({ kind: 'build', jobs: 2 }, marker)],
  [
    'buildServerScript()',
    buildServerScript({
      marker,
      places,
      isolations: [['bwrap', 'true']],
      probeInput: 'x',
      visible: ['/usr'],
      predecessor,
    }),
  ],
  ['senderScript()', senderScript({ marker, directory: '/store', checksum: 'cksum', names: ['a', 'b'] })],
  ['directSenderScript()', directSenderScript({ directory: '/store', names: ['a'], peer, command: 'sh', line: 'x' })],
  ...CLIENT_OPERATIONS.map(
    (operation) => [`clientScript() of ${operation}`, clientScript({ operation, marker, modules: [module] })] as const,
  ),
  ['executableScript()', executableScript(['/opt/client', '--lock'])],
  ['adoptScript()', adoptScript({ marker, places, records })],
]

describe.each(SHELLS)('a script that is loaded in %s', (program = '', ...options) => {
  const { stdout } = spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' })
  const { loader, input } = loaded(`printf '<%s>' 'ü\\' "$#" "  it's\n\n"\nprintf end\n`, marker)
  describe.each([
    ['by a utility', process.env['PATH']],
    ['without any', '/nowhere'],
  ])('%s', (_, path) => {
    const run = (text: string) =>
      spawnSync(stdout.trim(), [...options, '-c', `PATH='${path}'\n${loader}`], { input: text, encoding: 'utf8' })

    test('arrives as a whole', () => {
      expect(run(input)).toMatchObject({ stdout: "<ü\\><0><  it's\n\n>end", stderr: '', status: 0 })
    })

    test('is not begun if its end is missing', () => {
      for (let cut = 0; cut < input.length - 1; cut += 3)
        expect(run(input.slice(0, cut))).toMatchObject({ stdout: '', stderr: '', status: 0 })
    })
  })
})

/** What every helper has from the start is sent at once: most systems send 14 kB before they wait for the other side. */
const AT_ONCE = 14_000
/** What takes and restores snapshots is longer. */
const LIMITS: ReadonlyMap<string, number> = new Map([
  ...EVERYBODY.map((role) => [`helperText() of ${role}`, AT_ONCE] as const),
  ['helperText() for start_state', 83_000],
  ['clientScript() of state_activity', 64_000],
])

describe.each(SCRIPTS)('%s', (name, script) => {
  test('stays below its limit, and is valid in every shell', () => {
    expect(Buffer.byteLength(script)).toBeLessThan(LIMITS.get(name) ?? 44_000)
    const results = SHELLS.map(([program = '', ...options]) =>
      spawnSync(program, [...options, '-n'], { input: script }),
    )
    expect(results.map(({ status }) => status)).toEqual(SHELLS.map(() => 0))
  })

  test('has all functions that it calls, and so does the text of its detached processes', () => {
    const detached = /^(?:detached|more)='((?:[^']|'\\'')*)'$/m.exec(script)?.[1] ?? ''
    for (const text of [script, detached].map((quoted) => quoted.replaceAll("'\\''", "'"))) {
      const defined = functionsIn(text)
      expect(callsIn(text).filter((name) => !defined.has(name))).toEqual([])
    }
  })
})

test.each(SHELLS)('an unset variable ends the runtime in %s', (program = '', ...options) => {
  const input = `${runtime({ own: ['common'] })}\necho begun\n: "$not_set"\necho ended\n`
  const { status, stdout } = spawnSync(program, options, { input, encoding: 'utf8' })
  expect([stdout, status === 0]).toEqual(['begun\n', false])
})

test('no two functions of the runtime have the same name', () => {
  const names = functionNames(ALL_PARTS)
  expect(names.length).toBeGreaterThan(100)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

const directory = new URL('../runtime/', import.meta.url)
const ALL_PARTS = readdirSync(directory)
  .map((name) => readFileSync(new URL(name, directory), 'utf8'))
  .join('\n')

function functionNames(text: string): readonly string[] {
  return [...text.matchAll(/^([a-z_]+)\(\)/gm)].map(([, name = '']) => name)
}

function functionsIn(text: string): ReadonlySet<string> {
  return new Set(functionNames(text))
}

/** Words in the place of a command that are functions of some part, or can be nothing else. */
function callsIn(text: string): readonly string[] {
  const somewhere = functionsIn(ALL_PARTS)
  const commands =
    /(?:^|[;|&!{]|(?<!\$\()\(|\b(?:then|do|else|if|elif|while|until)\b)[ \t]*([a-z_]+)(?=[ \t\n;)])(?!\))/gm
  const called = new Set([...text.matchAll(commands)].map(([, name = '']) => name))
  return [...called].filter((name) => somewhere.has(name) || name.includes('_'))
}
