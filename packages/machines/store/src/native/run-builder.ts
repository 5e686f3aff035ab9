import { chmodSync, chownSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { finished } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { StorePath } from '@davit/documents'
import { type Isolation, PATH_OF_LAUNCH } from '@davit/isolation'
import { type Environment, type RunningCommand, startCommand } from '@davit/process'
import { buildEnvironment, buildFiles, buildShell } from './build-environment.ts'
import { openBuildLog } from './build-log.ts'
import type { Derivation } from './derivation.ts'
import { type BuildPlace, buildPlace, type IsolatedBuild, WRITABLE } from './build-place.ts'
import type { StoreLock } from './store-lock.ts'
import type { SizeLimit } from '../size-limit.ts'
import { watchSize } from './size-watch.ts'
import { timeLimitOf } from './time-limit.ts'

export interface BuilderRun extends Omit<IsolatedBuild, 'network'> {
  readonly derivation: Derivation
  readonly output: StorePath
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
  const limits = { ...run.limits, fileBlocks: blocksOf(run.sizeLimit) }
  const place = buildPlace(run.isolation, { ...run, limits, network: derivation.network })
  makeWorkspace(workspace, derivation, place)
  const made = place.standIn === undefined ? output : join(place.standIn, basename(output))
  const log = openBuildLog(run.logFile)
  try {
    const command = await startCommand({
      argv: place.command(buildShell(place), buildEnvironment(derivation, output, place)),
      cwd: join(workspace, 'build'),
      env: { PATH: PATH_OF_LAUNCH },
      stdin: '',
    })
    run.lock.guard(command.pid)
    const following = log.follow(command.stdout)
    const written = WRITABLE.map((name) => join(workspace, name)) as [string, ...string[]]
    const failure = await supervise(command, {
      ...run,
      paths: place.standIn === undefined ? [...written, made] : written,
    })
    await endOf(command, following)
    run.lock.unguard()
    takeBack(place)
    signal.throwIfAborted()
    return { made, logEnd: log.end(), ...(failure === undefined ? {} : { failure }) }
  } finally {
    log.close()
  }
}

/** Limit in the unit of `ulimit -f`, just above the limit in bytes. */
function blocksOf({ bytes }: SizeLimit): number {
  return Math.floor(bytes / 512) + 1
}

function makeWorkspace(workspace: string, derivation: Derivation, { account, files }: BuildPlace): void {
  for (const name of [...WRITABLE, 'files']) mkdirSync(join(workspace, name))
  for (const [name, content] of [...buildFiles(derivation), ...files]) {
    writeFileSync(join(workspace, 'files', name), content)
  }
  if (account === undefined) return
  for (const name of WRITABLE) giveTo(account, join(workspace, name))
  // Others may enter, but see nothing, and may enter none of the directories in which the build writes.
  chmodSync(workspace, 0o711)
}

function giveTo(account: number, directory: string): void {
  chmodSync(directory, 0o700)
  chownSync(directory, account, account)
}

/** Takes the directory of the output back, whose owner is that of outputs. No process of the account is left. */
function takeBack({ account, standIn }: BuildPlace): void {
  if (account === undefined || standIn === undefined) return
  const { uid, gid } = lstatSync(dirname(standIn))
  chownSync(standIn, uid, gid)
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
