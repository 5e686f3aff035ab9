import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { stringify } from 'yaml'
import type { TestHosts } from './hosts.ts'

export interface Outcome {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly input?: string
  readonly environment?: Readonly<Record<string, string>>
}

export interface Started {
  readonly process: ChildProcess
  readonly outcome: Promise<Outcome>
  /** What it has printed on standard error so far. */
  stderr(): string
}

/** A user of davit at a shell: a directory for models, state and store that are only his, executables on the PATH. */
export interface Coordinator {
  readonly directory: string
  readonly stateDirectory: string
  readonly storeDirectory: string
  readonly path: string
  /** Runs an executable in the directory, to its end. */
  run(argv: readonly string[], options?: RunOptions): Promise<Outcome>
  start(argv: readonly string[], options?: RunOptions): Started
  /** The same for a bash script. */
  bash(script: string, options?: RunOptions): Promise<Outcome>
  /** Writes a file into the directory: text as it is, anything else as YAML. */
  write(name: string, content: unknown): Promise<string>
  /** Numbers of the generations of a profile on the coordinator. */
  generations(profile?: string): Promise<readonly number[]>
  remove(): Promise<void>
}

export interface CoordinatorOptions {
  readonly hosts?: TestHosts
  /** Put before every command, to run it as somebody else. */
  readonly as?: readonly string[]
}

export async function coordinator({ hosts, as = [] }: CoordinatorOptions = {}): Promise<Coordinator> {
  const directory = await mkdtemp(join(tmpdir(), 'davit-test-'))
  await chmod(directory, as.length === 0 ? 0o755 : 0o777)
  const stateDirectory = join(directory, 'state')
  const storeDirectory = join(directory, 'store')
  const path = `${join(inject('prefix'), 'bin')}:${process.env['PATH'] ?? ''}`
  const environment = {
    PATH: path,
    HOME: directory,
    USER: 'tester',
    DAVIT_STATE_DIR: stateDirectory,
    DAVIT_STORE_DIR: storeDirectory,
    ...(hosts === undefined ? {} : { DAVIT_SSH_CONFIG: join(hosts.directory, 'ssh_config') }),
  }

  function start(argv: readonly string[], { input = '', environment: more = {} }: RunOptions = {}): Started {
    const [program = '', ...args] = [...as, ...argv]
    const child = spawn(program, args, { cwd: directory, env: { ...environment, ...more }, detached: true })
    const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)]
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    const outcome = once(child, 'close').then(([status]: (number | null)[]) => ({
      status: status ?? null,
      stdout: stdout(),
      stderr: stderr(),
    }))
    return { process: child, outcome, stderr }
  }

  return {
    directory,
    stateDirectory,
    storeDirectory,
    path,
    start,
    run: (argv, options) => start(argv, options).outcome,
    bash: (script, options) => start(['bash', '-c', `set -o pipefail\n${script}`], options).outcome,
    async write(name, content) {
      const path = join(directory, name)
      await mkdir(join(path, '..'), { recursive: true })
      await writeFile(
        path,
        typeof content === 'string' ? content : stringify(content, { aliasDuplicateObjects: false }),
      )
      return path
    },
    async generations(profile = 'default') {
      const names = await readdir(join(stateDirectory, 'coordinator', profile, 'generations')).catch(() => [])
      return names
        .filter((name) => !name.startsWith('.'))
        .map(Number)
        .toSorted((left, right) => left - right)
    },
    remove: () => removeTree(directory),
  }
}

function textOf(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return () => Buffer.concat(chunks).toString('utf8')
}

/** The directories of a store cannot be written to. */
async function removeTree(directory: string): Promise<void> {
  const chmod = spawn('chmod', ['-R', 'u+w', directory], { stdio: 'ignore' })
  await once(chmod, 'close')
  await rm(directory, { recursive: true, force: true })
}

/** The manifest of a generation, as text. */
export function generationText({ stateDirectory }: Coordinator, number: number): Promise<string> {
  return readFile(join(stateDirectory, 'coordinator/default/generations', String(number), 'manifest'), 'utf8')
}

/** The outcome of what must succeed; what it said when it does not. */
export function succeeded(outcome: Outcome): Outcome {
  if (outcome.status === 0) return outcome
  throw new Error(`it ended with status ${outcome.status} and said:\n${outcome.stderr}`)
}
