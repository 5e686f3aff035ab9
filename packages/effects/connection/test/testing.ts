import { type ChildProcess, spawn } from 'node:child_process'
import { DavitError } from '@davit/diagnostics'
import { noteCalls } from '@davit/testing/noted-calls'
import type { Shell } from '@davit/testing/shells'
import type { Connection } from '../src/connection.ts'

export interface ShellSurroundings {
  /** Program that runs the command in its arguments. */
  readonly within?: string
  /** Variables in addition to those of a login. */
  readonly environment?: Readonly<Record<string, string>>
}

export interface ShellConnection extends Connection {
  /** Pids of the shells, to kill them. */
  readonly pids: readonly number[]
  /** Ends the streams of all scripts, as the loss of a connection does. */
  hangUp(): void
}

/** Runs scripts with a shell of this machine, as a connection would. */
export function shellConnection(
  shell: Shell,
  stateDirectory: string,
  { within = '/usr/bin/env', environment = {} }: ShellSurroundings = {},
): ShellConnection {
  const pids: number[] = []
  const children: ChildProcess[] = []
  return {
    address: shell.name,
    pids,
    hangUp() {
      const lost = new DavitError('connection-lost', `lost the connection to '${shell.name}'`)
      for (const { stdin, stdout, stderr } of children)
        for (const stream of [stdin, stdout, stderr]) stream?.destroy(lost)
    },
    lost: new Promise(() => {}),
    async run(text) {
      const { script, input } = noteCalls(text, shell)
      const child = spawn(within, [shell.program, '-c', script], {
        env: {
          PATH: shell.path,
          LC_ALL: 'C',
          HOME: stateDirectory,
          DAVIT_STATE_DIR: stateDirectory,
          // Nothing has this machine start anything.
          DAVIT_BOOT_ROOT: '/nowhere',
          ...environment,
        },
      })
      children.push(child)
      if (child.pid !== undefined) pids.push(child.pid)
      const exit = exitOf(child)
      child.stdin.on('error', () => {})
      input(child.stdin)
      return { stdin: child.stdin, stdout: child.stdout, stderr: child.stderr, exit, close: () => void child.kill() }
    },
    async close() {},
  }
}

/** Exit status of a script, as a channel reports it: a killed script counts as a lost connection. */
export function exitOf(child: ChildProcess): Promise<number> {
  const exit = new Promise<number>((resolve, reject) => {
    child.on('exit', (status, signal) => {
      if (signal === null) resolve(status ?? 1)
      else reject(new DavitError('connection-lost', `ended by ${signal}`))
    })
  })
  // Not every caller waits for it.
  exit.catch(() => {})
  return exit
}
