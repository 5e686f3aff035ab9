import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

import type { Connection } from '@davit/connection'
import { exitOf } from '@davit/connection/testing'
import { isThorough } from '@davit/testing/effort'
import { noteCalls } from '@davit/testing/noted-calls'
import type { Shell } from '@davit/testing/shells'

/** Whether this machine can act as another one, with another store in the same place. */
export const canPose =
  spawnSync('unshare', ['-m', '--propagation', 'private', 'sh', '-c', 'mount --bind /tmp /mnt'], { stdio: 'ignore' })
    .status === 0

export interface OtherMachine extends Connection {
  /** Processes of the scripts that were run, the helper first. */
  readonly pids: readonly number[]
}

export interface OtherMachineOptions {
  /** Directory of the test, which contains the store and state of the other machine. */
  readonly directory: string
  /** Store directory of the coordinator; the other machine has other contents there. */
  readonly store: string
  readonly shell: Shell
}

/** Connects to a machine with its own contents in the same store directory; its processes run on this machine. */
export function otherMachine({ directory, store, shell }: OtherMachineOptions): OtherMachine {
  const [ownStore, state] = [join(directory, 'other-store'), join(directory, 'other-state')]
  for (const path of [ownStore, state, store]) mkdirSync(path, { recursive: true })
  const pids: number[] = []
  return {
    address: 'other',
    pids,
    lost: new Promise(() => {}),
    async run(text) {
      const { script, input } = noteCalls(text, shell)
      const child = spawn(
        '/usr/bin/unshare',
        ['-m', '--propagation', 'private', '/bin/sh', '-c', ENTER, ownStore, store, shell.program, script],
        { env: { PATH: shell.path, LC_ALL: 'C', HOME: state, DAVIT_STATE_DIR: state } },
      )
      if (child.pid !== undefined) pids.push(child.pid)
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {})
      input(child.stdin)
      return {
        stdin: child.stdin,
        stdout: child.stdout,
        stderr: child.stderr,
        exit: exitOf(child),
        close() {
          for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
        },
      }
    },
    async close() {},
  }
}

const ENTER = '/bin/mount --bind "$0" "$1" && exec "$2" -c "$3"'

/** Returns a shell on a machine that lacks some programs. */
export function shellWithout(programs: readonly string[], directory: string): Shell {
  const path = join(directory, `without-${programs.join('-')}`)
  mkdirSync(path)
  for (const from of ['/usr/bin', '/bin', '/usr/sbin', '/sbin']) {
    for (const name of readdirSync(from)) {
      if (!programs.includes(name)) linkOnce(join(from, name), join(path, name))
    }
  }
  return { name: `sh without ${programs.join(' and ')}`, program: join(path, 'sh'), path, inDepth: isThorough }
}

function linkOnce(target: string, link: string): void {
  try {
    symlinkSync(target, link)
  } catch {
    // An earlier directory already has it.
  }
}
