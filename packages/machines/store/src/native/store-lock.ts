import { closeSync, openSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DavitError } from '@davit/diagnostics'
import { type Environment, runCommand, type RunningCommand, startCommand } from '@davit/process'
import type { StoreLayout } from './store-layout.ts'

export interface StoreLock {
  /** Has a process group killed before the lock is released, in case this process is killed. */
  guard(processGroup: number): void
  unguard(): void
}

export interface LockOptions {
  readonly layout: StoreLayout
  readonly environment: Environment
  /** Ends the wait for the lock, not what runs under it. */
  readonly signal?: AbortSignal
  /** Called when another process has the lock. */
  readonly onWait?: () => void
}

/**
 * Runs `use` while no other process runs anything under this name. The lock is the kernel's (flock), held by a small
 * shell whose standard input ends with this process. So it is never left behind, and waiting costs nothing. A directory or
 * file with the owner's PID would have to be taken over from dead processes, which cannot be done without races.
 */
export async function withStoreLock<Result>(
  name: string,
  options: LockOptions,
  use: (lock: StoreLock) => Promise<Result>,
): Promise<Result> {
  const file = join(options.layout.locks, name)
  const holder = await acquire(file, options)
  try {
    return await use({
      guard: (processGroup) => void holder.stdin.write(`${processGroup}\n`),
      unguard: () => void holder.stdin.write('\n'),
    })
  } finally {
    rmSync(file, { force: true })
    holder.stdin.end()
    await holder.exit
  }
}

/** The holder of a lock removes its file, so a locked file counts only if it still has its name. */
const HOLD = `
while :; do
  exec 9>>"$1" || exit
  flock -n 9 || { echo waiting; flock 9 || exit; }
  [ "$1" -ef /proc/self/fd/9 ] && break
done
echo held
group=
while IFS= read -r line; do group=$line; done
[ -z "$group" ] || kill -KILL "-$group"
`

/** Removes the files of locks whose holders were killed; those that are held stay. */
export async function sweepLocks({ locks }: StoreLayout, env: Environment): Promise<void> {
  const files = readdirSync(locks).map((name) => join(locks, name))
  if (files.length === 0) return
  await runCommand({ argv: ['/bin/sh', '-c', SWEEP, 'davit-lock', ...files], env })
}

const SWEEP = 'for file in "$@"; do flock -n "$file" rm -f "$file"; done'

async function acquire(file: string, { environment, signal, onWait }: LockOptions): Promise<RunningCommand> {
  // Node reports errors of the file system best.
  closeSync(openSync(file, 'a', 0o644))
  const holder = await startCommand({ argv: ['/bin/sh', '-c', HOLD, 'davit-lock', file], env: environment })
  // Writing to a killed holder fails, which does not matter: its end is noticed.
  holder.stdin.on('error', () => {})
  const giveUp = (): void => holder.kill('SIGKILL')
  signal?.addEventListener('abort', giveUp, { once: true })
  try {
    for await (const line of createInterface({ input: holder.stdout })) {
      if (line === 'held') return holder
      if (line === 'waiting') onWait?.()
    }
  } finally {
    signal?.removeEventListener('abort', giveUp)
  }
  signal?.throwIfAborted()
  throw new DavitError('cannot-lock', `cannot lock '${file}'`, {
    hint: "check that the program 'flock' of util-linux is installed",
  })
}
