import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { stringify } from 'yaml'
import { callerOf } from './call-here.ts'
import type { TestHosts } from './hosts.ts'
import type { Language } from './language.ts'
import { refuseNodeWarnings } from './node-warnings.ts'

export interface Outcome {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly input?: string
  readonly environment?: Readonly<Record<string, string>>
  /** Where it runs, if not in the directory of the user. */
  readonly directory?: string
  /** Whether it gets a process of its own. By default, tools of davit run in the process of the test where they can. */
  readonly process?: boolean
}

export interface Started {
  readonly process: ChildProcess
  readonly outcome: Promise<Outcome>
  /** Standard output and error so far. */
  stdout(): string
  stderr(): string
}

/** A user of davit at a shell, with a directory of his own for models, state and store, and davit on the PATH. */
export interface Coordinator {
  readonly directory: string
  readonly language: Language
  readonly stateDirectory: string
  readonly storeDirectory: string
  readonly path: string
  /** Runs an executable in the directory, and waits for its end. */
  run(argv: readonly string[], options?: RunOptions): Promise<Outcome>
  start(argv: readonly string[], options?: RunOptions): Started
  /** Runs a bash script in the directory, and waits for its end. */
  bash(script: string, options?: RunOptions): Promise<Outcome>
  /** Writes a file into the directory: text unchanged, anything else as YAML. */
  write(name: string, content: unknown): Promise<string>
  /** Numbers of the generations of a profile on the coordinator. */
  generations(profile?: string): Promise<readonly number[]>
  remove(): Promise<void>
}

export interface CoordinatorOptions {
  readonly hosts?: TestHosts
  /** Prefix of the installation; by default that of the tests. */
  readonly prefix?: string
  /** Words before every command, which run it as another user. */
  readonly as?: readonly string[]
  /** Language of the models that he writes. */
  readonly language?: Language
  /** Whether all that he runs gets a process of its own, as for tests of processes, streams and installations. */
  readonly processes?: boolean
  /** Whether he has an empty `/nix` of his own. The default is true for models in Nix. */
  readonly nix?: boolean
}

export async function coordinator(options: CoordinatorOptions = {}): Promise<Coordinator> {
  const { language = 'YAML', nix = language === 'Nix' } = options
  const directory = await mkdtemp(join(tmpdir(), 'davit-test-'))
  // Davit uses no directory that others could replace.
  const mode = options.as === undefined ? 0o755 : 0o1777
  await chmod(directory, mode)
  if (nix) await prepareNix(directory, mode)
  const environment = environmentOf(directory, { ...options, nix })
  const prefix = [...(nix ? withNix(directory) : []), ...(options.as ?? [])]
  const start = starterOf({ directory, prefix, environment })
  const call = callerOf({ ...options, directory, environment, isBehindWords: prefix.length > 0 })
  const { DAVIT_STATE_DIR: stateDirectory, DAVIT_STORE_DIR: storeDirectory, PATH: path } = environment
  return {
    directory,
    language,
    stateDirectory,
    storeDirectory,
    path,
    start,
    run: (argv, run) => call(argv, run) ?? start(argv, run).outcome,
    bash: (script, run) => start(['bash', '-c', `set -o pipefail\n${script}`], run).outcome,
    write: (name, content) => writeInto(directory, name, content),
    generations: (profile = 'default') => numbersIn(join(stateDirectory, 'coordinator', profile, 'generations')),
    remove: () => removeTree(directory),
  }
}

function environmentOf(directory: string, { hosts, nix = false, prefix }: CoordinatorOptions) {
  return {
    PATH: `${join(prefix ?? inject('prefix'), 'bin')}:${process.env['PATH'] ?? ''}`,
    HOME: directory,
    TMPDIR: tmpdir(),
    USER: 'tester',
    DAVIT_STATE_DIR: join(directory, 'state'),
    DAVIT_STORE_DIR: join(directory, 'store'),
    ...(nix ? { NIX_CONF_DIR: directory } : {}),
    ...(hosts === undefined ? {} : { DAVIT_SSH_CONFIG: join(hosts.directory, 'ssh_config') }),
  }
}

interface StarterOptions {
  readonly directory: string
  /** Words before every command. */
  readonly prefix: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

function starterOf({ directory, prefix, environment }: StarterOptions): Coordinator['start'] {
  return (argv, { input = '', environment: more = {}, directory: cwd = directory } = {}) => {
    const [program = '', ...args] = [...prefix, ...argv]
    const child = spawn(program, args, { cwd, env: { ...environment, ...more }, detached: true })
    const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)]
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    const outcome = once(child, 'close').then(([status]: (number | null)[]) => {
      refuseNodeWarnings(stderr())
      return { status: status ?? null, stdout: stdout(), stderr: stderr() }
    })
    return { process: child, outcome, stdout, stderr }
  }
}

async function writeInto(directory: string, name: string, content: unknown): Promise<string> {
  const path = join(directory, name)
  await mkdir(join(path, '..'), { recursive: true })
  await writeFile(path, typeof content === 'string' ? content : stringify(content, { aliasDuplicateObjects: false }))
  return path
}

async function numbersIn(directory: string): Promise<readonly number[]> {
  const names = await readdir(directory).catch(() => [])
  return names
    .filter((name) => !name.startsWith('.'))
    .map(Number)
    .toSorted((left, right) => left - right)
}

async function prepareNix(directory: string, mode: number): Promise<void> {
  for (const part of ['nix', 'nix/store', 'nix/var']) {
    await mkdir(join(directory, part))
    await chmod(join(directory, part), mode)
  }
  await writeFile(
    join(directory, 'nix.conf'),
    'sandbox = false\nbuild-users-group =\nsubstituters =\nfsync-metadata = false\n',
  )
}

/** Returns words that run a command in its own mount namespace, with a `/nix` of its own. This machine may have none. */
function withNix(directory: string): readonly string[] {
  const script = 'mkdir -p /nix && mount --bind "$0" /nix && exec "$@"'
  return ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', script, join(directory, 'nix')]
}

function textOf(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return () => Buffer.concat(chunks).toString('utf8')
}

/** Removes a directory that may contain a store, whose directories are read-only. */
async function removeTree(directory: string): Promise<void> {
  const chmod = spawn('chmod', ['-R', 'u+w', directory], { stdio: 'ignore' })
  await once(chmod, 'close')
  await rm(directory, { recursive: true, force: true })
}

/** Returns the manifest of a generation as text. */
export function generationText({ stateDirectory }: Coordinator, number: number): Promise<string> {
  return readFile(join(stateDirectory, 'coordinator/default/generations', String(number), 'manifest'), 'utf8')
}

/** Returns the outcome of a command that must succeed; throws its output if it failed. */
export function succeeded(outcome: Outcome): Outcome {
  if (outcome.status === 0) return outcome
  throw new Error(`the command ended with status ${outcome.status} and printed:\n${outcome.stderr}`)
}
