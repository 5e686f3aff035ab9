import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { accountId, type Environment, runCommand } from '@davit/process'
import {
  type Bubblewrap,
  FIRST_ACCOUNT,
  type Isolation,
  isolationFrom,
  KINDS,
  namespaceOptions,
  type Namespaces,
} from './kinds.ts'
import { launch, PATH_OF_LAUNCH, REACHED } from './launch.ts'
import { systemCallFilter } from './system-call-filter.ts'
import { bubblewrapped } from './view.ts'
import { PROGRAMS } from './visible-paths.ts'

/** A trial run of a kind of isolation. */
export interface Attempt {
  /** Program to look up, whose path the command finds in the variable `program`. */
  readonly program: string
  /** It reads `PROBE_INPUT`. */
  readonly command: readonly [string, ...string[]]
}

export interface ProbeTerms {
  /** Directory that programs will need parts of, and a name below it of something that they need. */
  readonly reach?: { readonly directory: string; readonly name: string } | undefined
  /** Further paths that programs will see. */
  readonly paths: readonly string[]
}

/** What trial runs read: a filter of system calls. */
export const PROBE_INPUT = systemCallFilter({ network: true })

/** Returns a trial run for each of `KINDS`. */
export function attempts(terms: ProbeTerms): readonly Attempt[] {
  return KINDS.map((kind) => ({
    program: kind.program,
    command: kind.kind === 'bubblewrap' ? bubblewrapAttempt(kind, terms) : namespaceAttempt(kind),
  }))
}

const NOTHING = ['/bin/sh', '-c', ':'] as const
const RUN_PROGRAM = ['/bin/sh', '-c', 'exec "$program" "$@"', 'davit-probe'] as const

function namespaceAttempt({ options }: Namespaces): Attempt['command'] {
  return [...RUN_PROGRAM, ...namespaceOptions(options), '--net', '--', ...NOTHING]
}

function bubblewrapAttempt({ account }: Bubblewrap, { reach, paths }: ProbeTerms): Attempt['command'] {
  const bound = account === 'bound' ? reach?.directory : undefined
  const needed = reach === undefined ? [] : [`${bound === undefined ? reach.directory : REACHED}/${reach.name}`]
  const visible = [...PROGRAMS, '/etc/alternatives', ...paths, ...needed].map((path) => ({ path, isOptional: true }))
  const view = { visible, network: false, mounts: [], directory: '/', environment: {} }
  const [, ...words] = bubblewrapped({ program: '' }, view, 0)
  return launch({
    limits: { processes: PROBE_PROCESSES },
    ...(bound === undefined ? {} : { bound }),
    ...(account === undefined ? {} : { account: FIRST_ACCOUNT }),
    command: [...RUN_PROGRAM, ...words, ...NOTHING],
  })
}

/** Counts for an account that has other processes too. */
const PROBE_PROCESSES = 4096

/** Finds the best isolation that this machine allows, by trying. */
export async function probeIsolation(environment: Environment, terms: ProbeTerms = { paths: [] }): Promise<Isolation> {
  for (const [index, { program: name, command }] of attempts(terms).entries()) {
    const program = mayWork(index) ? findProgram(name, environment) : undefined
    // One after the other: the first usually works.
    // oxlint-disable-next-line no-await-in-loop
    if (program !== undefined && (await works(command, program))) return isolationFrom(index, program)
  }
  return { kind: 'none' }
}

/** Only root can run programs as another account. */
function mayWork(index: number): boolean {
  const kind = KINDS[index]
  return kind?.kind !== 'bubblewrap' || kind.account === undefined || accountId() === 0
}

function findProgram(name: string, { PATH = '' }: Environment): string | undefined {
  const directories = PATH.split(':').filter((directory) => directory.startsWith('/'))
  return directories.map((directory) => join(directory, name)).find((path) => existsSync(path))
}

async function works(argv: readonly [string, ...string[]], program: string): Promise<boolean> {
  try {
    const env = { PATH: PATH_OF_LAUNCH, program }
    return (await runCommand({ argv, env, stdin: PROBE_INPUT, timeoutSeconds: 10 })).exitCode === 0
  } catch {
    return false
  }
}
