import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { removeTree, scratchDirectory } from '@davit/testing/scratch'
import { until } from '@davit/testing/wait'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'

import { bundleExecutables } from '../../../../scripts/bundle-programs.ts'
import { STAND_INS } from './stand-in.ts'

/** The tools that davit-env runs for models. */
export const TOOLS = ['normalize', 'delegate-build', 'manifest', 'distribute', 'lock', 'activate', 'set', 'generations']

/** Options that name models, for tests to which they do not matter. */
export const MODELS = ['-s', 's', '-i', 'i', '-d', 'd'] as const

type Within = (argv: readonly string[]) => readonly string[]

/** davit-env with tools that only record their calls, set up anew for each test of the file that calls this. */
export function davitEnv() {
  let programs = ''
  let directory = ''
  beforeAll(async () => {
    programs = mkdtempSync(join(tmpdir(), 'davit-env-'))
    // Some tests run it as another user.
    chmodSync(programs, 0o755)
    await bundleWithStandIns(programs)
  })
  afterAll(() => removeTree(programs))
  beforeEach(() => {
    directory = scratchDirectory()
    mkdirSync(join(directory, 'tmp'))
  })

  const start = (
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    within: Within = (argv) => argv,
  ) => {
    const [program = '', ...options] = within([process.execPath, join(programs, 'davit-env.cjs'), ...args])
    const child = spawn(program, options, {
      env: {
        PATH: '/usr/bin:/bin',
        TMPDIR: join(directory, 'tmp'),
        TRACE: join(directory, 'trace'),
        DAVIT_STATE_DIR: join(directory, 'state'),
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
  const path = (...names: readonly string[]) => join(directory, ...names)
  return {
    /** Path below the directory of the running test. */
    path,
    start,
    run: (...given: Parameters<typeof start>) => start(...given).ended,
    trace: (suffix = '') =>
      readFileSync(path(`trace${suffix}`), 'utf8')
        .trimEnd()
        .split('\n'),
    /** Waits until the step that HANG names waits for a signal, or has received it. */
    hanging: (suffix = '.hanging') => until(() => readFileSync(path(`trace${suffix}`))),
    nothingLeft: () => expect(readdirSync(path('tmp'))).toEqual([]),
  }
}

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))

async function bundleWithStandIns(directory: string): Promise<void> {
  const filter = new RegExp(`^@davit/(${Object.keys(STAND_INS).join('|')})$`)
  const standIns = {
    name: 'stand-ins',
    setup({ onResolve, onLoad }: Parameters<StandIns['setup']>[0]) {
      onResolve({ filter }, ({ path, importer }) =>
        importer.endsWith('/env/src/tools.ts') ? { path, namespace: 'stand-in' } : undefined,
      )
      onLoad({ filter: /./, namespace: 'stand-in' }, ({ path }) => {
        const tool = path.replace('@davit/', '') as keyof typeof STAND_INS
        const contents = `import * as real from ${JSON.stringify(path)}
          import { standIns } from './test/stand-in.ts'
          export const { ${STAND_INS[tool].join(', ')} } = standIns(${JSON.stringify(tool)}, real)`
        return { contents, resolveDir: PACKAGE }
      })
    },
  }
  await bundleExecutables([{ name: 'davit-env', entry: join(PACKAGE, 'src/bin.ts') }], directory, [standIns])
}

type StandIns = NonNullable<Parameters<typeof bundleExecutables>[2]>[number]
