import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DavitError, ExitStatus, renderBytes } from '@davit/diagnostics'
import { startCommand } from '@davit/process'
import type { FetchLimits } from './fetch-limits.ts'
import { runsProgram } from './refused-origin.ts'
import { badRepository, type Git, gitEnvironment, gitWords, runGit, withoutPassword } from './git.ts'
import { textTail } from './text-tail.ts'

/** What git is run for: `words` make `directory` larger. */
export interface CloneCommand {
  readonly url: string
  readonly directory: string
  readonly words: readonly string[]
  readonly limits: FetchLimits
}

export interface CloneResult {
  readonly exitCode: number
  readonly stderr: string
  /** Size of the directory. */
  readonly bytes: number
}

/**
 * Limits the size of a file (in blocks of 512 bytes) and the memory (in kB) of what it runs, and ends that when its standard input
 * ends, as when davit is killed: git would wait for a silent server forever.
 */
const GUARDED = `exec 3<&0 </dev/null
trap '' XFSZ; ulimit -f "$0" 2>/dev/null; ulimit -v "$1" 2>/dev/null; shift
"$@" 3<&- & git=$!
{ read -r nothing <&3; trap '' TERM; kill -TERM 0; sleep 5; kill -KILL 0; } >/dev/null 2>&1 &
wait "$git"; status=$?
kill "$!"; exit "$status"`

const MEMORY_KB = 4 * 1024 * 1024

/** Runs git while it makes a directory larger, and stops it at the limits. */
export async function runClone(git: Git, command: CloneCommand): Promise<CloneResult> {
  const { words, limits } = command
  const stopping = new AbortController()
  const blocks = Math.floor(limits.bytes / 512) + 1
  const running = await startCommand({
    argv: ['/bin/sh', '-c', GUARDED, String(blocks), String(MEMORY_KB), ...gitWords(words)],
    env: { ...gitEnvironment(git), ...(runsProgram(command.url) ? NOT_FROM_USER : {}) },
    signal: AbortSignal.any([git.signal, stopping.signal]),
  })
  const watch = watchClone(command, (reason) => stopping.abort(reason))
  try {
    const [stderr, exitCode] = await Promise.all([textTail(running.stderr, watch.onSound), running.exit])
    git.signal.throwIfAborted()
    stopping.signal.throwIfAborted()
    const bytes = sizeOf(command.directory, limits.bytes)
    if (bytes > limits.bytes || FILE_TOO_LARGE.test(stderr)) throw tooLarge(command)
    // The shell cannot say why git does not start.
    if (exitCode === 126 || exitCode === 127) await runGit(git, ['version'])
    return { exitCode, stderr, bytes }
  } finally {
    watch.stop()
    running.stdin.destroy()
  }
}

/** Of protocols that git hands to a program of another name, only those are used that the configuration of the user allows. */
const NOT_FROM_USER = { GIT_PROTOCOL_FROM_USER: '0' }

/** What git says, since SIGXFSZ is ignored; what another machine says, it quotes after `remote: `. */
const FILE_TOO_LARGE = /^(?!remote: ).*File too large/m

interface CloneWatch {
  /** To be called whenever git says something. */
  onSound(): void
  stop(): void
}

const PAUSE_MILLISECONDS = 250

/** Looks from time to time how large the directory is, and whether anything has come. */
function watchClone(command: CloneCommand, onLimit: (reason: DavitError) => void): CloneWatch {
  const { directory, limits } = command
  const stopping = new AbortController()
  const began = performance.now()
  let [heard, size] = [began, 0]
  const whyStopped = (): DavitError | undefined => {
    const found = sizeOf(directory, limits.bytes)
    const now = performance.now()
    if (found !== size) [heard, size] = [now, found]
    if (size > limits.bytes) return tooLarge(command)
    if (now - heard > limits.silenceSeconds * 1000) return tooSlow(command, 'nothing has come', limits.silenceSeconds)
    return now - began > limits.seconds * 1000 ? tooSlow(command, 'it is not complete', limits.seconds) : undefined
  }
  const look = async (): Promise<void> => {
    // Looking takes half of the time at most, however slow it is.
    for (let pause = PAUSE_MILLISECONDS; ;) {
      await delay(pause, undefined, { signal: stopping.signal, ref: false })
      const start = performance.now()
      const reason = whyStopped()
      if (reason !== undefined) return onLimit(reason)
      pause = Math.max(PAUSE_MILLISECONDS, performance.now() - start)
    }
  }
  look().catch(() => {})
  return { onSound: () => void (heard = performance.now()), stop: () => stopping.abort() }
}

function tooLarge({ url, limits }: CloneCommand): DavitError {
  return badRepository(
    `cannot fetch '${withoutPassword(url)}': with what was fetched before, it is larger than ${renderBytes(limits.bytes)}`,
    'name a smaller repository, or allow more with DAVIT_FETCH_LIMIT',
  )
}

function tooSlow({ url }: CloneCommand, what: string, seconds: number): DavitError {
  return new DavitError(
    'unreachable-repository',
    `cannot fetch '${withoutPassword(url)}': after ${seconds} seconds, ${what}`,
    {
      exitStatus: ExitStatus.unreachable,
      hint: 'run the same command again later; if the repository is only slow, raise DAVIT_FETCH_TIMEOUT (seconds)',
      fields: { repository: withoutPassword(url) },
    },
  )
}

/** Size of the files of a directory; counts no further than the limit. */
export function sizeOf(directory: string, limit: number): number {
  let size = 0
  const waiting = [directory]
  for (let path = waiting.pop(); path !== undefined && size <= limit; path = waiting.pop()) {
    for (const entry of entriesIn(path)) {
      const inner = join(path, entry.name)
      if (entry.isDirectory()) waiting.push(inner)
      else size += lstatSync(inner, { throwIfNoEntry: false })?.size ?? 0
    }
  }
  return size
}

function entriesIn(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch {
    return []
  }
}
