import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { isThorough } from '@davit/testing/effort'
import { scratchDirectory } from '@davit/testing/scratch'
import { beforeEach, expect } from 'vitest'

import { HANG, LOCK, TOOL, TOOLS } from './stand-ins.ts'

const SCRIPT = fileURLToPath(new URL('../../../../scripts/davit-env', import.meta.url))

/** Shells that run davit-env, as far as they are installed. */
export const shells: readonly (readonly string[])[] = [['dash'], ['bash'], ['busybox', 'sh']].filter(
  ([program = '']) => spawnSync(program, ['--help']).error === undefined,
)

/** Options that name models, for tests to which they do not matter. */
export const MODELS = ['-s', 's', '-i', 'i', '-d', 'd'] as const

type Within = (argv: readonly string[]) => readonly string[]

/** davit-env with tools that only record their calls, set up anew for each test of the suite that calls this. */
export function davitEnvIn(shell: readonly string[]) {
  let directory = ''
  beforeEach(() => {
    directory = scratchDirectory()
    mkdirSync(join(directory, 'bin'))
    mkdirSync(join(directory, 'tmp'))
    for (const name of TOOLS) {
      writeFileSync(join(directory, 'bin', `davit-${name}`), TOOL)
      chmodSync(join(directory, 'bin', `davit-${name}`), 0o755)
    }
    writeFileSync(join(directory, 'bin', 'lock.mjs'), LOCK)
    writeFileSync(join(directory, 'bin', 'hang.mjs'), HANG)
    writeFileSync(join(directory, 'bin', 'davit-env'), readFileSync(SCRIPT))
  })

  const start = (
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    within: Within = (argv) => argv,
  ) => {
    const [program = '', ...options] = within([...shell, join(directory, 'bin', 'davit-env'), ...args])
    const child = spawn(program, options, {
      env: {
        PATH: '/usr/bin:/bin',
        TMPDIR: join(directory, 'tmp'),
        TRACE: join(directory, 'trace'),
        HANG: '',
        NODE: process.execPath,
        ...environment,
      },
      detached: true,
    })
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (text: Buffer) => (stdout += text.toString()))
    child.stderr.on('data', (text: Buffer) => (stderr += text.toString()))
    const ended = once(child, 'close').then(([status]: (number | null)[]) => ({ status, stdout, stderr }))
    return { child, ended }
  }
  return {
    /** Whether to run tests that do not depend on the shell; when time is short, only in one of them. */
    inDepth: isThorough || shell[0] === shells[0]?.[0],
    /** Path below the directory of the running test. */
    path: (...names: readonly string[]) => join(directory, ...names),
    start,
    run: (...given: Parameters<typeof start>) => start(...given).ended,
    trace: (suffix = '') =>
      readFileSync(join(directory, `trace${suffix}`), 'utf8')
        .trimEnd()
        .split('\n'),
    nothingLeft: () => expect(readdirSync(join(directory, 'tmp'))).toEqual([]),
  }
}
