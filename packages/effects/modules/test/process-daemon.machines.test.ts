import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive } from '@davit/testing/processes'
import { until } from '@davit/testing/wait'
import { describe, expect, test } from 'vitest'
import { configured, Scene, installedShells } from './scene.ts'

const shells = installedShells()

/** Leaves a child in a session of its own, as daemons do, and writes its pid. */
const DAEMON = `#!/bin/sh
setsid sh -c 'echo $$ >"$SCENE/web.pid"; exec sleep 1000' >/dev/null 2>&1 &
`

describe.concurrent.each(shells)('process with a daemon under $name', (shell) => {
  test('accepts a daemon that leaves a pid file', async () => {
    const scene = new Scene(shell, configured('pidFile="$SCENE/web.pid"\n', { 'bin/start': DAEMON }))
    scene.write(join(scene.directory, 'web.pid'), '999999999\n')
    expect(await scene.call('activate')).toMatchObject({ status: 0, stderr: '' })
    const pid = scene.pidIn('web.pid')
    expect([isAlive(pid), scene.pid()]).toEqual([true, pid])
    expect(await scene.call('status')).toMatchObject({ status: 0 })
    expect(await scene.call('activate')).toMatchObject({ status: 0 })
    expect(scene.pidIn('web.pid')).toBe(pid)
    expect(await scene.call('deactivate')).toMatchObject({ status: 0, stderr: '' })
    expect([isAlive(pid), existsSync(join(scene.directory, 'web.pid'))]).toEqual([false, false])
  })

  test.runIf(shell.inDepth)(
    'accepts a daemon with the pid file that Dysnomia expects, without being told',
    async () => {
      const scene = new Scene(shell, { 'bin/web': DAEMON })
      expect(await scene.call('activate', { runtimeDir: scene.directory })).toMatchObject({ status: 0, stderr: '' })
      const pid = scene.pidIn('web.pid')
      expect(scene.pid()).toBe(pid)
      expect(await scene.call('deactivate', { runtimeDir: scene.directory })).toMatchObject({ status: 0 })
      expect(isAlive(pid)).toBe(false)
    },
  )

  test.runIf(shell.inDepth)('removes the pid file of a daemon that has died', async () => {
    const scene = new Scene(shell, configured('pidFile="$SCENE/web.pid"\n', { 'bin/start': DAEMON }))
    await scene.call('activate')
    const pid = scene.pid()
    process.kill(pid, 'SIGKILL')
    await until(() => !isAlive(pid))
    expect(await scene.call('status')).toMatchObject({ status: 3 })
    expect(await scene.call('deactivate')).toMatchObject({ status: 0, stderr: '' })
    expect(existsSync(join(scene.directory, 'web.pid'))).toBe(false)
  })

  test.runIf(shell.inDepth)('leaves a process alone that a pid file names but that it did not start', async () => {
    const scene = new Scene(shell, configured('pidFile="$SCENE/web.pid"\n', { 'bin/start': DAEMON }))
    scene.write(join(scene.directory, 'web.pid'), `${process.pid}\n`)
    const activated = await scene.call('activate')
    expect([activated.status, activated.stderr]).toEqual([
      1,
      expect.stringContaining(`names process ${process.pid}, which`),
    ])
    const deactivated = await scene.call('deactivate')
    expect([deactivated.status, deactivated.stderr]).toEqual([0, expect.stringContaining('pid file not removed')])
    expect(scene.pidIn('web.pid')).toBe(process.pid)
  })

  test.runIf(shell.inDepth)('fails when the start command of a daemon fails, and stops what it left', async () => {
    const scene = new Scene(
      shell,
      configured('pidFile="$SCENE/web.pid"\n', { 'bin/start': `${DAEMON}sleep 0.1; exit 3\n` }),
    )
    const { status, stderr } = await scene.call('activate')
    expect([status, stderr]).toEqual([1, expect.stringContaining('the program ended with status 3')])
    await until(() => !existsSync(join(scene.directory, 'web.pid')))
  })
})
