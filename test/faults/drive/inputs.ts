import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface InputsTried {
  readonly hasFailed: boolean
  /** Numbers of inputs that were tried, a line for each kind. */
  readonly figures: string
}

/** Parts of the names of test files that feed hostile input to readers. */
const FILES = ['hostile', 'fuzzing', 'lying-target']

/** The result if nothing was tried. */
export const NO_INPUTS: InputsTried = { hasFailed: false, figures: '' }

/** Runs the tests with hostile input, with fifty times as much of it as usual. */
export async function tryInputs(): Promise<InputsTried> {
  const directory = await mkdtemp(join(tmpdir(), 'davit-inputs-'))
  try {
    const file = join(directory, 'figures')
    const env = { ...process.env, DAVIT_TEST_THOROUGH: '1', DAVIT_TEST_FIGURES: file }
    const root = fileURLToPath(new URL('../../..', import.meta.url))
    const argv = ['run', '--project', 'unit', '--project', 'machines', '--silent=passed-only', ...FILES]
    const child = spawn(join(root, 'node_modules/.bin/vitest'), argv, { cwd: root, env, stdio: 'inherit' })
    const [status] = (await once(child, 'exit')) as [number | null]
    return { hasFailed: status !== 0, figures: (await readFile(file, 'utf8').catch(() => '')).trimEnd() }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
