import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

import type { Connection } from '@davit/connection'
import { exitOf } from '@davit/connection/testing'
import { isThorough } from '@davit/testing/effort'
import type { Shell } from '@davit/testing/shells'

/** Whether this machine can pose as another one, with a store of its own in the same place. */
export const canPose =
  spawnSync('unshare', ['-m', '--propagation', 'private', 'sh', '-c', 'mount --bind /tmp /mnt'], { stdio: 'ignore' })
    .status === 0

export interface OtherMachine extends Connection {
  /** Of the scripts that were run, the helper first. */
  readonly pids: readonly number[]
}

export interface OtherMachineOptions {
  /** Ends with all that the test has made. */
  readonly directory: string
  /** Of the coordinator; on the other machine it is another directory. */
  readonly store: string
  readonly shell: Shell
}

/** Directories of the same names as the coordinator's, with other contents; processes are this machine's. */
export function otherMachine({ directory, store, shell }: OtherMachineOptions): OtherMachine {
  const [ownStore, state] = [join(directory, 'other-store'), join(directory, 'other-state')]
  for (const path of [ownStore, state, store]) mkdirSync(path, { recursive: true })
  const pids: number[] = []
  return {
    kind: 'local',
    address: 'other',
    pids,
    lost: new Promise(() => {}),
    async run(script) {
      const child = spawn(
        '/usr/bin/unshare',
        ['-m', '--propagation', 'private', '/bin/sh', '-c', ENTER, ownStore, store, shell.program, script],
        { env: { PATH: shell.path, LC_ALL: 'C', HOME: state, DAVIT_STATE_DIR: state } },
      )
      if (child.pid !== undefined) pids.push(child.pid)
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {})
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

/** A shell whose machine lacks some programs. */
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
    // The directories before had it.
  }
}
