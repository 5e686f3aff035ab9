import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { finished } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { StorePath } from '@davit/documents'
import { type RunningCommand, startCommand } from '@davit/process'
import { buildEnvironment, buildFiles, buildShell } from './build-environment.ts'
import { openBuildLog } from './build-log.ts'
import type { Derivation } from './derivation.ts'
import { buildPlace, type Isolation } from './isolation.ts'
import type { StoreLock } from './store-lock.ts'
import { type TimeLimit, timeLimitOf } from './time-limit.ts'

export interface BuilderRun {
  readonly derivation: Derivation
  readonly output: StorePath
  /** Paths that the build may read. */
  readonly inputs: readonly StorePath[]
  readonly storeDirectory: string
  readonly workspace: string
  readonly isolation: Isolation
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
  const log = openBuildLog(run.logFile)
  try {
    const command = await startCommand({
      argv: ['/bin/sh', '-c', 'umask 022; exec "$@" 2>&1', 'davit-build', ...place.argv, ...buildShell(place)],
      cwd: join(workspace, 'build'),
      env: buildEnvironment(derivation, output, place),
      stdin: '',
    })
    run.lock.guard(command.pid)
    const following = log.follow(command.stdout)
    const failure = await supervise(command, timeLimitOf(derivation), signal)
    await endOf(command, following)
    run.lock.unguard()
    signal.throwIfAborted()
    const made = place.standIn === undefined ? output : join(place.standIn, basename(output))
    return { made, logEnd: log.end(), ...(failure === undefined ? {} : { failure }) }
  } finally {
    log.close()
  }
}

function makeWorkspace(workspace: string, derivation: Derivation): void {
  for (const name of ['build', 'store', 'files']) mkdirSync(join(workspace, name))
  for (const [name, content] of buildFiles(derivation)) writeFileSync(join(workspace, 'files', name), content)
}

/** Why the build failed, or nothing. */
async function supervise(
  command: RunningCommand,
  timeLimit: TimeLimit,
  signal: AbortSignal,
): Promise<string | undefined> {
  const kill = (): void => command.kill('SIGKILL')
  let late = false
  const timer = setTimeout(() => {
    late = true
    kill()
  }, timeLimit.milliseconds)
  signal.addEventListener('abort', kill, { once: true })
  if (signal.aborted) kill()
  const exitCode = await command.exit
  clearTimeout(timer)
  signal.removeEventListener('abort', kill)
  if (late) return timeLimit.reason
  return exitCode === 0 ? undefined : `failed with exit status ${exitCode}`
}

const LAST_WORDS_MILLISECONDS = 1000

/** Without namespaces, what has left the process group may live on, and hold the output open. */
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
