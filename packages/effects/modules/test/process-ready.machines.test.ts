import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { freePort } from '@davit/testing/free-port'
import { isAlive } from '@davit/testing/processes'
import { describe, expect, test } from 'vitest'
import { configured, FOREVER, Scene, installedShells } from './scene.ts'

const shells = installedShells()

const SERVER = `#!${process.execPath}
const server = require('node:net').createServer()
setTimeout(() => server.listen(Number(process.env.port), '127.0.0.1'), 200)
`

describe.concurrent.each(shells)('process that becomes ready under $name', (shell) => {
  test.each(['0', '0.05'])(
    'notices a program that dies after %s s, and shows the end of what it said',
    async (time) => {
      const scene = new Scene(shell, { 'bin/web': `#!/bin/sh\nsleep ${time}\necho "no database" >&2\nexit 7\n` })
      scene.write(scene.log, 'of an earlier start\n')
      const { status, stderr } = await scene.call('activate')
      expect(status).toBe(1)
      expect(stderr).toContain(`cannot activate '${scene.component}': the program ended with status 7`)
      expect(stderr).toContain('\nno database\n')
      expect(stderr).not.toContain('of an earlier start')
      expect(await scene.call('status')).toMatchObject({ status: 3 })
    },
  )

  test.runIf(shell.inDepth)('notices a program that dies before it is ready, and stops what it started', async () => {
    const program = '#!/bin/sh\nsleep 1000 &\necho $! >"$SCENE/child"\nsleep 0.2\nkill -KILL $$\n'
    const scene = new Scene(shell, configured('process=\'exec "$DAVIT_COMPONENT/web"\' readyPort=1', { web: program }))
    const { status, stderr } = await scene.call('activate')
    expect(status).toBe(1)
    expect(stderr).toContain('the program was killed by signal 9')
    expect(isAlive(scene.pidIn('child'))).toBe(false)
  })

  test('waits until a port answers', async () => {
    const port = String(await freePort())
    const scene = new Scene(shell, configured('readyPort=$port', { 'bin/web': SERVER }))
    expect(await scene.call('activate', { port })).toMatchObject({ status: 0 })
    expect(await scene.call('status', { port })).toMatchObject({ status: 0 })
    const other = String(await freePort())
    expect(await scene.call('status', { port: other })).toMatchObject({ status: 1 })
    expect(await scene.call('deactivate', { port })).toMatchObject({ status: 0 })
  })

  test.runIf(shell.inDepth)('refuses to start when somebody else has the port', async () => {
    const server = createServer()
    const port = String(await listeningPort(server))
    const scene = new Scene(shell, { 'bin/web': FOREVER })
    const { status, stderr } = await scene.call('activate', { readyPort: port })
    expect([status, stderr]).toEqual([1, expect.stringContaining(`port ${port} is already in use`)])
    expect(existsSync(scene.log)).toBe(false)
    server.close()
  })

  test.runIf(shell.inDepth)('waits until a command succeeds, in the working directory', async () => {
    const settings = `process='sleep 0.2; touch "$SCENE/ready"; exec sleep 1000'
readyCommand='test -e "$SCENE/ready" && test -e here'
workingDirectory=share
`
    const scene = new Scene(shell, configured(settings, { 'share/here': '' }))
    // Root is warned of a directory in the package.
    const stderr = expect.stringMatching(/^(process: warning: workingDirectory [^\n]*\n)?$/) as string
    expect(await scene.call('activate')).toMatchObject({ status: 0, stderr })
    expect(existsSync(join(scene.directory, 'ready'))).toBe(true)
    await scene.call('deactivate')
  })

  test('gives up on a command that hangs, and ends it together with the program', async () => {
    const settings = `readyCommand='echo not yet; sleep 1000 & echo $! >"$SCENE/child"; wait'\nreadyTimeout=1\n`
    const scene = new Scene(
      shell,
      configured(settings, { 'bin/web': '#!/bin/sh\necho $$ >"$SCENE/pid"\nsleep 1000\n' }),
    )
    const { status, stderr } = await scene.call('activate')
    expect(status).toBe(1)
    expect(stderr).toContain('timed out after 1 s waiting for readyCommand')
    expect(stderr).toContain('not yet')
    expect([isAlive(scene.pidIn('child')), isAlive(scene.pidIn('pid'))]).toEqual([false, false])
  })
})

function listeningPort(server: ReturnType<typeof createServer>): Promise<number> {
  return new Promise((resolve, reject) => {
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (address === null || typeof address === 'string') reject(new Error('no port'))
      else resolve(address.port)
    })
  })
}
