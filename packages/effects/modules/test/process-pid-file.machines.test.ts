import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isAlive } from '@davit/testing/processes'
import type { Shell } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterAll, describe, expect, test } from 'vitest'

import { configured, installedShells, Scene } from './scene.ts'

const shells = installedShells()
const isRoot = process.getuid?.() === 0
if (!isRoot) console.warn('SKIPPED: pid files of others, since only root can make them')

const STRANGER = 4711
const AS_STRANGER = `/usr/bin/setpriv --reuid=${STRANGER} --regid=${STRANGER} --clear-groups`
const ALONE = '/usr/bin/env -i /usr/bin/setsid'

const victims: ChildProcess[] = []
afterAll(() => {
  for (const { pid = 0 } of victims) if (isAlive(pid)) process.kill(-pid, 'SIGKILL')
})

/** Starts a shell of root in a session of its own, and returns its pid. */
function victim(script: string): number {
  const child = spawn('/bin/sh', ['-c', script], { detached: true, stdio: 'ignore' })
  victims.push(child)
  return child.pid ?? 0
}

/** A daemon whose pid file is in a directory of a stranger. Its command is in `start`. */
function daemon(shell: Shell, start: string): Scene {
  const settings = 'pidFile="${pidFile:-$SCENE/run/web/pid}"\ntimeout=2\nstopTimeout=1\n'
  const scene = new Scene(shell, configured(settings, { 'bin/start': `#!/bin/sh\n${start}\n` }))
  for (const directory of [dirname(scene.directory), scene.directory]) chmodSync(directory, 0o755)
  mkdirSync(join(scene.directory, 'run/web'))
  chownSync(join(scene.directory, 'run/web'), STRANGER, STRANGER)
  return scene
}

describe.runIf(isRoot).each(shells)('a pid file of somebody else under $name', (shell) => {
  const refusal = (pid: number) => `run/web/pid' names process ${pid}, which was not started from this component; '`

  test('is not believed if it names an earlier process', async () => {
    const pid = victim('sleep 1000 & exec sleep 1000')
    const scene = daemon(shell, `echo ${pid} >"$SCENE/run/web/pid"`)
    const { status, stderr } = await scene.call('activate')
    expect([status, stderr]).toEqual([1, expect.stringContaining(refusal(pid))])
    expect(stderr).toContain(`run/web' belongs to '${STRANGER}', who can replace 'pid'; chown root '`)
    await scene.call('deactivate')
    expect(isAlive(pid)).toBe(true)
  })

  test('is not believed if it names a later process of root', async () => {
    const scene = daemon(shell, 'echo >"$SCENE/begun"; until [ -s "$SCENE/run/web/pid" ]; do sleep 0.1; done')
    const activation = scene.call('activate')
    await until(() => existsSync(join(scene.directory, 'begun')))
    const pid = victim('exec sleep 1000')
    writeFileSync(join(scene.directory, 'run/web/pid'), `${pid}\n`)
    expect(await activation).toMatchObject({ status: 1, stderr: expect.stringContaining(refusal(pid)) as string })
    await scene.call('deactivate')
    expect(isAlive(pid)).toBe(true)
  })

  test('is not believed if it names an earlier process, even in a place of root', async () => {
    const pid = victim('exec sleep 1000')
    const scene = daemon(shell, `echo ${pid} >"$SCENE/pid"`)
    const { status, stderr } = await scene.call('activate', { pidFile: join(scene.directory, 'pid') })
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(`/pid' names process ${pid}, which was not started from this component\n`),
    ])
    await scene.call('deactivate', { pidFile: join(scene.directory, 'pid') })
    expect(isAlive(pid)).toBe(true)
  })

  test('is believed if it names a process of the same user, which is stopped with its session', async () => {
    const program = `/bin/sh -c '/bin/sleep 1000 & echo $! >../worker; echo $$ >pid; exec /bin/sleep 1000'`
    const scene = daemon(
      shell,
      `cd "$SCENE/run/web" && : >../worker && chmod 666 ../worker && ${ALONE} ${AS_STRANGER} ${program} &`,
    )
    expect(await scene.call('activate')).toMatchObject({ status: 0, stderr: '' })
    const pids = [scene.pid(), scene.pidIn('run/worker')]
    expect(pids.map(isAlive)).toEqual([true, true])
    expect(await scene.call('status')).toMatchObject({ status: 0 })
    expect(await scene.call('deactivate')).toMatchObject({ status: 0, stderr: '' })
    expect(pids.map(isAlive)).toEqual([false, false])
    expect(existsSync(join(scene.directory, 'run/web/pid'))).toBe(false)
  })

  test('does not lead to processes of root in a session that the stranger has entered', async () => {
    const scene = daemon(shell, 'echo >"$SCENE/begun"; until [ -s "$SCENE/run/web/pid" ]; do sleep 0.1; done')
    const activation = scene.call('activate')
    await until(() => existsSync(join(scene.directory, 'begun')))
    const place = join(scene.directory, 'run/web/pid')
    const pid = victim(`${AS_STRANGER} /bin/sh -c 'echo $$ >${place}; exec /bin/sleep 1000' & exec sleep 1000`)
    expect(await activation).toMatchObject({ status: 0 })
    const stranger = scene.pid()
    expect(await scene.call('deactivate')).toMatchObject({ status: 0 })
    expect([pid, stranger].map(isAlive)).toEqual([true, false])
  })

  test('does not lead to a session that is older than what was launched', async () => {
    const place = (scene: Scene) => join(scene.directory, 'run/web/pid')
    const scene = daemon(shell, 'echo >"$SCENE/begun"; until [ -s "$SCENE/run/web/pid" ]; do sleep 0.1; done')
    const [begun, second] = [join(scene.directory, 'begun'), join(scene.directory, 'second')]
    const pid = victim(
      `${AS_STRANGER} /bin/sleep 1000 & echo $! >${second}
       until [ -e ${begun} ]; do sleep 0.1; done
       ${AS_STRANGER} /bin/sh -c 'echo $$ >${place(scene)}; exec /bin/sleep 1000' & exec sleep 1000`,
    )
    expect(await scene.call('activate')).toMatchObject({ status: 0 })
    expect(await scene.call('deactivate')).toMatchObject({ status: 0 })
    expect([pid, scene.pidIn('second')].map(isAlive)).toEqual([true, true])
  })

  test('is not removed in a place to which a link of the stranger leads', async () => {
    const scene = daemon(shell, 'exit 1')
    const other = scene.directory + '/other'
    mkdirSync(other)
    writeFileSync(join(other, 'pid'), '999999999\n')
    symlinkSync(other, join(scene.directory, 'run/web/inner'))
    const { stderr } = await scene.call('activate', { pidFile: join(scene.directory, 'run/web/inner/pid') })
    expect(readFileSync(join(other, 'pid'), 'utf8')).toBe('999999999\n')
    expect(stderr).toContain("run/web' belongs to '4711'")
  })
})
