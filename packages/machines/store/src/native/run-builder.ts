import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { finished } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { StorePath } from '@davit/documents'
import { type Environment, type RunningCommand, startCommand } from '@davit/process'
import { buildEnvironment, buildFiles, buildShell } from './build-environment.ts'
import { openBuildLog } from './build-log.ts'
import type { Derivation } from './derivation.ts'
import { buildPlace, type Isolation } from './isolation.ts'
import type { StoreLock } from './store-lock.ts'
import type { SizeLimit } from '../size-limit.ts'
import { watchSize } from './size-watch.ts'
import { timeLimitOf } from './time-limit.ts'

export interface BuilderRun {
  readonly derivation: Derivation
  readonly output: StorePath
  /** Paths that the build may read. */
  readonly inputs: readonly StorePath[]
  readonly storeDirectory: string
  readonly workspace: string
  readonly isolation: Isolation
  readonly sizeLimit: SizeLimit
  /** Its PATH locates programs that davit itself runs. */
  readonly environment: Environment
  readonly lock: StoreLock
  readonly logFile: string
  readonly signal: AbortSignal
}

export interface BuilderResult {
  /** Why the build failed; absent if it did not. */
  readonly failure?: string
  readonly logEnd: string
  /** Where the output should be now. */
  readonly made: string
}

/** Runs the script of a derivation to its end; nothing that it started survives it. Throws when it is aborted. */
export async function runBuilder(run: BuilderRun): Promise<BuilderResult> {
  const { derivation, output, workspace, signal } = run
  makeWorkspace(workspace, derivation)
  const place = buildPlace(run.isolation, { ...run, network: derivation.network })
  const made = place.standIn === undefined ? output : join(place.standIn, basename(output))
  const log = openBuildLog(run.logFile)
  try {
    const command = await startCommand({
      argv: ['/bin/sh', '-c', LIMITED, String(blocksOf(run.sizeLimit)), ...place.argv, ...buildShell(place)],
      cwd: join(workspace, 'build'),
      env: buildEnvironment(derivation, output, place),
      stdin: '',
    })
    run.lock.guard(command.pid)
    const following = log.follow(command.stdout)
    const failure = await supervise(command, { ...run, paths: [join(workspace, 'build'), made] })
    await endOf(command, following)
    run.lock.unguard()
    signal.throwIfAborted()
    return { made, logEnd: log.end(), ...(failure === undefined ? {} : { failure }) }
  } finally {
    log.close()
  }
}

/** Its first argument limits the size of a file. */
const LIMITED = 'umask 022; ulimit -f "$0" 2>/dev/null; exec "$@" 2>&1'

/** Limit in the unit of `ulimit -f`, just above the limit in bytes. */
function blocksOf({ bytes }: SizeLimit): number {
  return Math.floor(bytes / 512) + 1
}

function makeWorkspace(workspace: string, derivation: Derivation): void {
  for (const name of ['build', 'store', 'files']) mkdirSync(join(workspace, name))
  for (const [name, content] of buildFiles(derivation)) writeFileSync(join(workspace, 'files', name), content)
}

interface Limits extends Pick<BuilderRun, 'derivation' | 'sizeLimit' | 'environment' | 'signal'> {
  /** Where the build writes. */
  readonly paths: readonly [string, ...string[]]
}

/** Exit status of a program that SIGXFSZ ended, as in a shell. */
const FILE_TOO_LARGE = 128 + 25

/** Waits for the end of a build; returns why it failed, or nothing. */
async function supervise(command: RunningCommand, limits: Limits): Promise<string | undefined> {
  const { derivation, sizeLimit, signal } = limits
  const timeLimit = timeLimitOf(derivation)
  const kill = (): void => command.kill('SIGKILL')
  let reason: string | undefined
  const stop = (why: string): void => {
    reason ??= why
    kill()
  }
  const timer = setTimeout(stop, timeLimit.milliseconds, timeLimit.reason)
  const watch = watchSize({ ...limits, bytes: sizeLimit.bytes }, () => stop(sizeLimit.reason))
  signal.addEventListener('abort', kill, { once: true })
  if (signal.aborted) kill()
  const exitCode = await command.exit
  clearTimeout(timer)
  watch.stop()
  signal.removeEventListener('abort', kill)
  if (reason !== undefined || exitCode === 0) return reason
  return exitCode === FILE_TOO_LARGE || (await watch.isReached())
    ? sizeLimit.reason
    : `ended with exit status ${exitCode}`
}

const LAST_WORDS_MILLISECONDS = 1000

/** Ends a build. Without namespaces, processes that have left its group may live on, and keep the output open. */
async function endOf(command: RunningCommand, following: Promise<void>): Promise<void> {
  command.kill('SIGKILL')
  const waiting = new AbortController()
  const patience = delay(LAST_WORDS_MILLISECONDS, undefined, { signal: waiting.signal }).catch(() => {})
  await Promise.race([following, patience])
  waiting.abort()
  command.stdout.destroy()
  await finished(command.stdout).catch(() => {})
  await following.catch(() => {})
}
