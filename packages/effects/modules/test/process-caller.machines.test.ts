import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

import { describe, expect, test } from 'vitest'

import { FOREVER, installedShells, Scene, shippedModule } from './scene.ts'

/**
 * Calls a module as the runtime of davit does, in the background, with more than that has: signals that are ignored, descriptors below 10, a
 * directory. What is above 10 only the coordinator could pass on.
 */
const CALLER = `trap '' HUP INT QUIT PIPE USR1 USR2 TERM
exec 5>/dev/zero 7>/dev/zero 9</dev/zero
umask 022
"$@" &
wait "$!"`

/** SIGINT and SIGQUIT, in the mask of signals that a process ignores. */
const INTERRUPTS = 0b110

describe.concurrent.each(installedShells())('a process under $name', (shell) => {
  const activated = async (caller: string) => {
    const scene = new Scene(shell, { 'bin/web': FOREVER })
    const module = [shippedModule('process'), 'activate', scene.component]
    const child = spawn(shell.program, ['-c', caller, 'sh', 'sh', ...module], {
      env: { ...scene.environment, PATH: shell.path },
      stdio: 'ignore',
      cwd: scene.directory,
    })
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0)
    const pid = scene.pid()
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    const found = {
      descriptors: readdirSync(`/proc/${pid}/fd`).filter((number) => Number(number) < 10),
      directory: readlinkSync(`/proc/${pid}/cwd`),
      blocked: maskIn(status, 'SigBlk'),
      ignored: maskIn(status, 'SigIgn'),
      session: stat[3] === String(pid) ? 'of its own' : 'of another',
      terminal: stat[4],
    }
    await scene.call('deactivate')
    return found
  }

  test('has no descriptors, directory, session or terminal of the caller', async () => {
    expect(await activated(CALLER)).toMatchObject({
      descriptors: ['0', '1', '2'],
      directory: '/',
      blocked: 0,
      session: 'of its own',
      terminal: '0',
    })
  })

  test('ignores no signals that the caller ignores', async ({ skip }) => {
    if (shell.name === 'busybox') skip('without GNU env or perl, nothing undoes it')
    expect((await activated(CALLER)).ignored).toBe(0)
  })

  test('ignores HUP in no shell', async () => {
    expect((await activated('"$@" & wait "$!"')).ignored & ~INTERRUPTS).toBe(0)
  })
})

function maskIn(status: string, name: string): number {
  return Number.parseInt(new RegExp(`^${name}:\\t(.*)$`, 'm').exec(status)?.[1] ?? 'none', 16)
}
