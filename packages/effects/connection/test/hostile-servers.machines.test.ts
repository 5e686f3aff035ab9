import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { DavitError } from '@davit/diagnostics'
import { loginShellMissing, sshdMissing, startSshd, type TestSshd } from '@davit/testing/sshd'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectionPool, type SshOptions } from '../src/connection.ts'
import { openSsh } from '../src/open-ssh.ts'

const missing = sshdMissing()
if (missing !== undefined) console.warn(`SKIPPED: tests with a real sshd: ${missing}`)

let sshd: TestSshd
beforeAll(async () => {
  if (missing === undefined) sshd = await startSshd({ lines: ['MaxStartups 2', 'Banner /etc/os-release'] })
})
afterAll(() => sshd?.stop())

/** Writes an ssh configuration that begins with the given lines. */
function configured(...lines: readonly string[]): SshOptions {
  const file = join(sshd.directory, 'ssh_config_of_test')
  writeFileSync(file, `${lines.join('\n')}\nMatch all\n${readFileSync(sshd.configFile, 'utf8')}`)
  return { environment: { ...sshd.environment, DAVIT_SSH_CONFIG: file } }
}

async function greeting(address: string, options: SshOptions): Promise<string> {
  const connection = await openSsh(address, options)
  try {
    return await text((await connection.run('echo hello')).stdout)
  } finally {
    await connection.close()
  }
}

async function failure(address: string, options: SshOptions): Promise<DavitError> {
  const error: unknown = await greeting(address, options).catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(DavitError)
  return error as DavitError
}

/** Runs a server for the duration of a function, which gets its address. */
async function withServer<Result>(
  serve: (socket: Socket) => void,
  use: (address: string) => Promise<Result>,
): Promise<Result> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}))
    serve(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await use(`127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
}

/** Writes again and again, as fast as it is read. */
function flood(chunk: Buffer) {
  return (socket: Socket): void => {
    const more = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    }
    socket.on('drain', more)
    more()
  }
}

describe.skipIf(missing !== undefined)('servers that are none', () => {
  test.each<[string, (socket: Socket) => void]>([
    ['speaks HTTP', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['sends zeros without end', flood(Buffer.alloc(65_536))],
    ['sends lines without end', flood(Buffer.from('welcome\r\n'.repeat(5_000)))],
    ['sends a line without end', flood(Buffer.alloc(65_536, 'x'))],
    ['says a version and then rubbish', (socket) => socket.write(`SSH-2.0-x\r\n${'\u00ff'.repeat(100_000)}`)],
    ['says a version and hangs up', (socket) => socket.end('SSH-2.0-x\r\n')],
    ['says an old version', (socket) => socket.write('SSH-1.5-old\r\n')],
    [
      'announces a packet of 4 GiB',
      (socket) => socket.write(Buffer.concat([Buffer.from('SSH-2.0-x\r\n'), Buffer.alloc(64, 255)])),
    ],
  ])('one that %s cannot be reached, and is named', async (_, serve) => {
    const options = { ...configured('ConnectTimeout 1', 'StrictHostKeyChecking accept-new'), attempts: 1 }
    const before = process.memoryUsage().rss
    await withServer(serve, async (address) => {
      const error = await failure(address, options)
      expect(error).toMatchObject({ code: 'unreachable', exitStatus: 69 })
      expect(error.message).toMatch(new RegExp(`^cannot reach '${address}': .{5,200}$`))
    })
    expect(process.memoryUsage().rss - before).toBeLessThan(500 * 1024 * 1024)
  })

  test('one that says nothing is asked once, and one that hangs up is asked again', async () => {
    const options = { ...configured('ConnectTimeout 1'), attempts: 2 }
    let asked = 0
    const serve = (hangsUp: boolean) => (socket: Socket) => {
      asked += 1
      if (hangsUp) socket.end()
    }
    const error = await withServer(serve(false), (address) => failure(address, options))
    expect([error.message, asked]).toEqual([expect.stringMatching(/: no ssh handshake within 1 s$/), 1])
    asked = 0
    await withServer(serve(true), (address) => failure(address, options))
    expect(asked).toBe(2)
  })

  test('a machine that no longer answers is given up after ConnectTimeout', async () => {
    const program = `require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () { console.log(this.address().port) })`
    const child = spawn('node', ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'] })
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const port = Number(line.toString())
    child.kill('SIGSTOP')
    const fillers = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}))
    await Promise.race([Promise.all(fillers.map((filler) => once(filler, 'connect'))), delay(300)])
    const error = await failure(`127.0.0.1:${port}`, { ...configured('ConnectTimeout 1'), attempts: 1 })
    for (const filler of fillers) filler.destroy()
    child.kill('SIGKILL')
    expect(error).toMatchObject({ code: 'unreachable', exitStatus: 69 })
    expect(error.message).toBe(`cannot reach '127.0.0.1:${port}': no answer within 1 s (127.0.0.1 port ${port})`)
  })
})

describe.skipIf(missing !== undefined)('servers with much to say', () => {
  test('the banner of sshd does not reach scripts', async () => {
    expect(await greeting(sshd.address, configured())).toBe('hello\n')
  })

  test('lines before the protocol version are skipped', async () => {
    const proxy = (near: Socket): void => {
      near.write('welcome\r\nto this machine\r\n')
      const far = connect(sshd.port, '127.0.0.1').on('error', () => {})
      near.pipe(far).pipe(near)
    }
    await withServer(proxy, async (address) => {
      const options = configured(`HostKeyAlias [127.0.0.1]:${sshd.port}`)
      expect(await greeting(address, options)).toBe('hello\n')
    })
  })

  // Each name is a handshake.
  test.each([1, 30])(
    'thirty targets on one sshd that takes two newcomers at a time, known by %i names',
    async (names) => {
      const hosts = Array.from({ length: 30 }, (_, index) => `host${index % names}`)
      appendFileSync(sshd.knownHostsFile, hosts.map((host) => `${host} ${sshd.hostKey('ed25519')}\n`).join(''))
      const aliases = hosts.flatMap((host) => [`Host ${host}`, `HostKeyAlias ${host}`])
      const options = configured(...aliases, 'Match all', 'HostName 127.0.0.1', `Port ${sshd.port}`)
      const before = sshd.log().length
      const pool = connectionPool(options)
      const outputs = await Promise.all(
        hosts.map(async (address) => {
          const connection = await pool.connect([{ kind: 'ssh', address }])
          return names === 1 ? 'hello\n' : text((await connection.run('echo hello')).stdout)
        }),
      )
      await pool.close()
      expect(new Set(outputs)).toEqual(new Set(['hello\n']))
      expect(
        sshd
          .log()
          .slice(before)
          .match(/Accepted publickey/g),
      ).toHaveLength(names)
    },
  )
})

describe.skipIf(missing !== undefined || loginShellMissing() !== undefined)('login shells of the account', () => {
  test('fish starts scripts', async () => {
    const server = await startSshd({ loginShell: '/usr/bin/fish' })
    try {
      expect(await greeting(server.address, { environment: server.environment })).toBe('hello\n')
    } finally {
      await server.stop()
    }
  })

  test('nologin runs no script, and its message is shown', async () => {
    const server = await startSshd({ loginShell: '/usr/sbin/nologin' })
    const connection = await openSsh(server.address, { environment: server.environment })
    try {
      // It ends so quickly that its end may arrive together with the answer that it has started.
      for (let time = 0; time < 8; time += 1) {
        const { stdout, exit } = await connection.run('echo hello')
        expect(await text(stdout)).toMatch(/not available/)
        expect(await exit).toBe(1)
      }
    } finally {
      await connection.close()
      await server.stop()
    }
  })
})
