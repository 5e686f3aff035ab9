import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Connection } from '@davit/connection'
import { DavitError } from '@davit/diagnostics'
import { afterAll } from 'vitest'

import { isThorough } from '../../diagnostics/test/hostile.ts'

export interface Shell {
  readonly name: string
  readonly program: string
  /** Directories in which `sh` is this shell, and the utilities are those that go with it. */
  readonly path: string
  /** Whether it is the one for tests of what shells have in common. Where there is time (DAVIT_TEST_THOROUGH=1) all are. */
  readonly inDepth: boolean
}

/** The shells of targets that are installed here, until the tests of the file are over. */
export function installedShells(): readonly Shell[] {
  const shells: Shell[] = []
  const directories = mkdtempSync(join(tmpdir(), 'davit-shells-'))
  afterAll(() => rmSync(directories, { recursive: true, force: true }))
  for (const name of ['dash', 'bash']) {
    if (spawnSync(`/bin/${name}`, ['-c', ':']).status !== 0) continue
    const directory = join(directories, name)
    mkdirSync(directory)
    symlinkSync(`/bin/${name}`, join(directory, 'sh'))
    const inDepth = isThorough || shells.length === 0
    shells.push({ name, program: join(directory, 'sh'), path: `${directory}:/usr/bin:/bin`, inDepth })
  }
  const applets = spawnSync('busybox', ['--list'], { encoding: 'utf8' })
  if (applets.status === 0) {
    const directory = join(directories, 'busybox')
    mkdirSync(directory)
    for (const applet of applets.stdout.trim().split('\n')) {
      if (applet !== 'busybox') symlinkSync('/bin/busybox', join(directory, applet))
    }
    const inDepth = isThorough || shells.length === 0
    shells.push({ name: 'busybox', program: join(directory, 'sh'), path: directory, inDepth })
  }
  return shells
}

export interface ShellSurroundings {
  /** Program that runs the one that follows it. */
  readonly within?: string
  /** Added to what a login has. */
  readonly environment?: Readonly<Record<string, string>>
}

export interface ShellConnection extends Connection {
  /** Of the shells, to kill them. */
  readonly pids: readonly number[]
  /** All scripts see the ends of their streams, as when a connection is lost. */
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
    kind: 'local',
    address: shell.name,
    pids,
    hangUp() {
      const lost = new DavitError('connection-lost', `lost the connection to '${shell.name}'`)
      for (const { stdin, stdout, stderr } of children)
        for (const stream of [stdin, stdout, stderr]) stream?.destroy(lost)
    },
    lost: new Promise(() => {}),
    async run(script) {
      const child = spawn(within, [shell.program, '-c', script], {
        env: { PATH: shell.path, LC_ALL: 'C', HOME: stateDirectory, DAVIT_STATE_DIR: stateDirectory, ...environment },
      })
      children.push(child)
      if (child.pid !== undefined) pids.push(child.pid)
      const exit = new Promise<number>((resolve, reject) => {
        child.on('exit', (status, signal) => {
          if (signal === null) resolve(status ?? 1)
          else reject(new DavitError('connection-lost', `ended by ${signal}`))
        })
      })
      exit.catch(() => {})
      child.stdin.on('error', () => {})
      return { stdin: child.stdin, stdout: child.stdout, stderr: child.stderr, exit, close: () => void child.kill() }
    },
    async close() {},
  }
}
