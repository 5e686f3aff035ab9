import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'

import { removeTree } from '@davit/files'
import { encodeField, helperText, operationsOf } from '@davit/target-runtime'
import { isThorough, patience, tellFigure } from '@davit/testing/effort'
import { awkwardText, mutationsOf } from '@davit/testing/hostile'
import { installedShells, type Shell } from '@davit/testing/shells'
import * as fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'

// Mutated requests may name any path of this machine: only the directory of the test is writable, and no process outside is visible.
const ISOLATION = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--unshare-pid', '--die-with-parent']
const bubblewrap = '/usr/bin/bwrap'
const isIsolated = spawnSync(bubblewrap, [...ISOLATION, 'true']).status === 0
if (!isIsolated) console.warn('SKIPPED: hostile requests need bubblewrap')

const REQUESTS = isThorough ? 3_000 : 60
const MARKER = 'davit-marker'
/** File that each of these makes if it is evaluated. */
const CANARY = 'canary'
const TRAPS = [
  // Blanks separate the words of requests, tabs do not.
  '$(touch\tcanary)',
  '`touch\tcanary`',
  ';touch\tcanary;',
  '\\0044(touch\\0040canary)',
  encodeField('$(touch canary)'),
  encodeField('"; touch canary; "'),
  encodeField("';touch canary;'"),
  encodeField('a\n1 ! failed\ntouch canary'),
  '&touch\tcanary&',
  '|touch\tcanary',
  '>canary',
  '$(>canary)',
  '${x:=$(touch\tcanary)}',
  '$((x[$(touch\tcanary)]))',
  '*',
  '/*',
  '../../canary',
  '-x',
  '\\c',
  '\\0',
  '%s%n',
]

let requests = 0
let refused = 0
afterAll(() => tellFigure(`hostile requests: ${requests} lines, ${refused} refused, nothing run`))

function requestsIn(directory: string) {
  const [store, davit] = [join(directory, 'store'), join(directory, 'store/.davit')]
  const registrations = `${davit}/registrations`
  const record = `pkg ${store}/x module ${directory}/no/module container process property.x 1 entry {}`
  const deploy = [
    'hello',
    'lock t1 default mine me 60',
    'lock t1 default mine me 60 dead',
    'renew t1 default mine 60',
    'unlock t1 default mine',
    'lock_state t1 default',
    'observe default',
    `look t1 default ${store}/p native ${davit}/roots/profile a b`,
    `look t1 default ${store}/p nix`,
    `start t1 default - activate 5 process key ${record}`,
    'start t1 default - deactivate 5 process key',
    'await t1 default activate 0 process key',
    'log t1 default activate process key 4096',
    'status t1 default 5 process key',
    `resolve ${store}/a ${store}/b`,
    `set_profile t1 default - ${store}/p add native ${davit}/roots`,
  ]
  const carry = [
    'hello',
    'lock_state t1 default',
    `protect native ${davit}/roots ${store}/a ${store}/b`,
    `native_missing ${registrations} ${store}/a names a b c`,
    `native_commit ${store} ${davit}/incoming/transfer.1 ${registrations} ${davit}/roots a protect a needs b`,
    `native_discard ${davit}/incoming/transfer.1`,
  ]
  const places = `${store} ${davit}/incoming ${registrations} ${davit}/roots ${davit}/locks`
  const collect = [
    'hello',
    'lock_state t1 default',
    `native_survey cksum ${places}`,
    `native_collect cksum 4038471504 ${places} ${davit}/logs a rubbish b`,
    `trim_profile t1 default ${store}/p`,
    'trim_remnants',
    'trim_remnants --dry-run',
  ]
  return { deploy, carry, collect }
}

function hostileRequests(honest: readonly string[]): fc.Arbitrary<string> {
  const trapped = fc
    .tuple(fc.constantFrom(...honest), fc.nat(12), fc.constantFrom(...TRAPS))
    .map(([line, at, trap]) => {
      const words = line.split(' ')
      return words.with(at % words.length, trap).join(' ')
    })
  const anyLine = fc.oneof(
    { weight: 4, arbitrary: trapped },
    { weight: 3, arbitrary: mutationsOf(honest) },
    awkwardText,
  )
  return anyLine.map((line) => line.replaceAll(/[\0\n]/g, ' '))
}

/** Sends lines to a helper, each with a number in front, and returns its answers. */
async function answersTo(lines: readonly string[], { shell, script, directory }: Scene) {
  const child = spawn(
    bubblewrap,
    [...ISOLATION, '--bind', directory, directory, '--chdir', join(directory, 'here'), shell.program, '-c', script],
    {
      env: { PATH: shell.path, LC_ALL: 'C', HOME: directory, DAVIT_STATE_DIR: join(directory, 'state') },
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  )
  child.stdin.on('error', () => {})
  child.stdin.end(lines.map((line, index) => `${index} ${line}\n`).join(''))
  const output = await textOf(child.stdout)
  return output.slice(output.indexOf(MARKER)).split('\n').slice(1)
}

interface Scene {
  readonly shell: Shell
  readonly script: string
  readonly directory: string
}

describe.skipIf(!isIsolated).each(installedShells())('requests that no coordinator sends, with $name', (shell) => {
  test.each(['deploy', 'carry', 'collect'] as const)(
    'a helper with the role %s refuses them, and runs nothing',
    patience,
    async (role) => {
      const directory = realpathSync(mkdtempSync(join(tmpdir(), 'davit-requests-')))
      mkdirSync(join(directory, 'here'))
      try {
        const { script } = helperText({ role, marker: MARKER, operations: operationsOf(role) })
        const honest = requestsIn(directory)[role]
        const seed = Date.now()
        const hostile = fc.sample(hostileRequests(honest), {
          numRuns: role === 'deploy' ? REQUESTS : REQUESTS / 4,
          seed,
        })
        const lines = [...new Set(honest.map((line) => line.split(' ', 1).join())), ...hostile]
        const answers = await answersTo([...lines, 'hello'], { shell, script, directory })
        // A line of blanks is no request.
        const asked = [...lines, 'hello'].flatMap((line, index) => (/[^ ]/.test(line) ? [`${index}`] : []))
        const ends = answers.filter((line) => /^\d+ (?:=$|! )/.test(line))
        const answered = new Set(ends.map((line) => line.split(' ')[0]))
        const unanswered = asked.filter((id) => !answered.has(id)).map((id) => lines[Number(id)])
        expect(unanswered, `seed ${seed}`).toEqual([])
        expect(ends, `seed ${seed}`).toHaveLength(asked.length)
        expect(answers.at(-2), `seed ${seed}`).toBe(`${lines.length} =`)
        expect(readdirSync(join(directory, 'here')), `seed ${seed}`).toEqual([])
        expect(existsSync(join(directory, CANARY)), `seed ${seed}`).toBe(false)
        requests += asked.length
        refused += ends.filter((line) => line.includes(' ! ')).length
      } finally {
        removeTree(directory)
      }
    },
  )
})
