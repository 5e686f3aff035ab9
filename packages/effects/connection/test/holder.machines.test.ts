import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { DavitError, type ReportEvent } from '@davit/diagnostics'
import { freePort } from '@davit/testing/free-port'
import { makeKey, publicKey, sshdMissing, startSshd, type TestSshd } from '@davit/testing/sshd'
import { until } from '@davit/testing/wait'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Connection,
  type ConnectionPool,
  connectionPool,
  type Holder,
  holdConnections,
  HOLDER_VARIABLE,
  type SshOptions,
} from '../src/connection.ts'

const missing = sshdMissing()
if (missing !== undefined) console.warn(`SKIPPED: tests with a real sshd: ${missing}`)

describe.skipIf(missing !== undefined)('holdConnections()', () => {
  let sshd: TestSshd
  let holder: Holder
  let time = 0
  const pools: ConnectionPool[] = []

  beforeAll(async () => {
    sshd = await startSshd({ lines: ['MaxSessions 1'] })
  })
  afterAll(() => sshd?.stop())
  beforeEach(async () => {
    holder = await holdConnections({ environment: {}, now: () => time })
  })
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.close()))
    await holder.close()
  })

  /** The pool of one tool. */
  function tool(options: Partial<SshOptions> = {}, variables: Record<string, string> = {}): ConnectionPool {
    const environment = { ...sshd.environment, [HOLDER_VARIABLE]: holder.socket, ...variables }
    const pool = connectionPool({ environment, ...options })
    pools.push(pool)
    return pool
  }
  const reach = (pool: ConnectionPool, address = sshd.address): Promise<Connection> =>
    pool.connect([{ kind: 'ssh', address }])
  const hello = async (connection: Connection): Promise<string> => text((await connection.run('echo hello')).stdout)
  const logins = (): number => sshd.log().match(/Accepted publickey/g)?.length ?? 0
  const failureOf = async (pool: ConnectionPool, address = sshd.address): Promise<DavitError> => {
    const error: unknown = await reach(pool, address).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(DavitError)
    return error as DavitError
  }
  /** Writes an ssh configuration that begins with the given lines; returns the variable that names it. */
  function configured(name: string, ...lines: readonly string[]): Record<string, string> {
    const file = join(sshd.directory, name)
    writeFileSync(file, `${lines.join('\n')}\nMatch all\n${readFileSync(sshd.configFile, 'utf8')}`)
    return { DAVIT_SSH_CONFIG: file }
  }

  describe('links', () => {
    test('tools share one, at a time and one after the other', async () => {
      const before = logins()
      const [first, second] = [tool(), tool()]
      const connections = await Promise.all([reach(first), reach(second), reach(second, `root@${sshd.address}`)])
      expect(connections[1]).toBe(connections[2])
      expect(connections[1]).toMatchObject({ address: sshd.address })
      expect(await hello(connections[0])).toBe('hello\n')
      await first.close()
      expect(await hello(await reach(tool()))).toBe('hello\n')
      expect(logins() - before).toBe(1)
    })

    test('a channel that the server refuses on the shared one gets another of its own', async () => {
      const before = logins()
      const connections = await Promise.all([reach(tool()), reach(tool()), reach(tool())])
      const channels = await Promise.all(connections.map((connection) => connection.run('read line; echo "$line"')))
      for (const { stdin } of channels) stdin.end('said\n')
      expect(await Promise.all(channels.map(({ stdout }) => text(stdout)))).toEqual(['said\n', 'said\n', 'said\n'])
      expect(logins() - before).toBe(3)
    })

    test('a tool with another configuration does not get it', async () => {
      const before = logins()
      await reach(tool())
      await makeKey(join(sshd.directory, 'stranger'), 'ed25519')
      const other = configured('ssh_config_stranger', `IdentityFile ${sshd.directory}/stranger`, 'IdentitiesOnly yes')
      writeFileSync(
        other['DAVIT_SSH_CONFIG']!,
        readFileSync(other['DAVIT_SSH_CONFIG']!, 'utf8').replace(/Match all[^]*?client\n/, 'Match all\n'),
      )
      expect(await failureOf(tool({}, other))).toMatchObject({ code: 'authentication-failed', exitStatus: 77 })
      await reach(tool({}, { SSH_OPTS: '-o Compression=yes' }))
      expect(logins() - before).toBe(2)
    })

    test('relative paths lead from the directory of the tool', async () => {
      const before = process.cwd()
      process.chdir(sshd.directory)
      try {
        expect(await hello(await reach(tool({}, { DAVIT_SSH_CONFIG: 'ssh_config' })))).toBe('hello\n')
      } finally {
        process.chdir(before)
      }
    })

    test('a key that is no longer the known one is refused, though the link is open', async () => {
      await reach(tool())
      const known = readFileSync(sshd.knownHostsFile, 'utf8')
      await makeKey(join(sshd.directory, 'other'), 'ed25519')
      writeFileSync(sshd.knownHostsFile, `[127.0.0.1]:${sshd.port} ${publicKey(join(sshd.directory, 'other'))}\n`)
      try {
        const { code, message, hint, exitStatus } = await failureOf(tool({}, { [HOLDER_VARIABLE]: '' }))
        expect(code).toBe('host-key-changed')
        expect(await failureOf(tool())).toMatchObject({ code, message, hint, exitStatus })
      } finally {
        writeFileSync(sshd.knownHostsFile, known)
      }
      expect(await hello(await reach(tool()))).toBe('hello\n')
    })

    test('who asks is told that a new host key was recorded', async () => {
      const known = readFileSync(sshd.knownHostsFile, 'utf8')
      writeFileSync(sshd.knownHostsFile, '')
      const events: ReportEvent[][] = [[], []]
      const accepting = configured('ssh_config_new', 'StrictHostKeyChecking accept-new')
      const tools = events.map((told) => tool({ report: (event) => told.push(event) }, accepting))
      await reach(tools[0]!)
      await reach(tools[1]!)
      expect(events).toEqual([[expect.objectContaining({ kind: 'warning', code: 'host-key-added' })], []])
      writeFileSync(sshd.knownHostsFile, known)
    })

    test('jump hosts are shared as well', async () => {
      const inner = await startSshd()
      const known = readFileSync(sshd.knownHostsFile, 'utf8')
      writeFileSync(sshd.knownHostsFile, `${known}[127.0.0.1]:${inner.port} ${inner.hostKey('ed25519')}\n`)
      const jumping = configured(
        'ssh_config_jump',
        'Host inner',
        'HostName 127.0.0.1',
        `Port ${inner.port}`,
        `IdentityFile ${inner.clientKey}`,
        `ProxyJump root@${sshd.address}`,
      )
      const before = logins()
      for (const pool of [tool({}, jumping), tool({}, jumping)]) {
        expect(await hello(await reach(pool, 'inner'))).toBe('hello\n')
      }
      expect(logins() - before).toBe(1)
      expect(inner.log().match(/Accepted publickey/g)).toHaveLength(1)
      await inner.stop()
      writeFileSync(sshd.knownHostsFile, known)
    })

    test('the loss of one reaches its tools; the next connection is a new one', async () => {
      const pool = tool()
      const connection = await reach(pool)
      const { exit, stdout } = await connection.run('sleep 60')
      const broken = text(stdout).catch((error: unknown) => error)
      await sshd.down()
      const lost = { code: 'connection-lost', message: expect.stringContaining(sshd.address) }
      expect(await connection.lost).toMatchObject(lost)
      await expect(exit).rejects.toMatchObject(lost)
      expect(await broken).toMatchObject(lost)
      await expect(connection.run('true')).rejects.toMatchObject({ code: 'connection-lost' })
      await expect(reach(pool)).rejects.toMatchObject({ code: 'unreachable' })
      await sshd.up()
      const again = await reach(pool)
      expect(again).not.toBe(connection)
      expect(await hello(again)).toBe('hello\n')
    })
  })

  describe('machines that cannot be reached', () => {
    let silent: Server
    let asked: number
    let address: string

    beforeEach(async () => {
      asked = 0
      silent = createServer((socket) => {
        asked += 1
        socket.on('error', () => {}).resume()
      }).listen(0, '127.0.0.1')
      await once(silent, 'listening')
      address = `127.0.0.1:${(silent.address() as AddressInfo).port}`
    })
    afterEach(() => silent.close())
    const impatient = (): ConnectionPool =>
      tool({ attempts: 1 }, configured('ssh_config_impatient', 'ConnectTimeout 1'))

    test('one that does not answer is not asked again for a while, and the error says so', async () => {
      const first = await failureOf(impatient(), address)
      expect(first).toMatchObject({ code: 'unreachable', exitStatus: 69 })
      time += 12_000
      const second = await failureOf(impatient(), address)
      expect(second).toMatchObject({ code: 'unreachable', exitStatus: 69, hint: first.hint })
      expect(second.message).toBe(`${first.message}; davit-connect asks it again in 18 s`)
      expect(asked).toBe(1)
      time += 18_000
      expect((await failureOf(impatient(), address)).message).toBe(first.message)
      expect(asked).toBe(2)
    })

    test('one that refuses at once is asked each time', async () => {
      const port = await freePort()
      const failures = [await failureOf(tool(), `127.0.0.1:${port}`), await failureOf(tool(), `127.0.0.1:${port}`)]
      expect(failures[0]!.message).toBe(`cannot reach '127.0.0.1:${port}': connection refused (127.0.0.1 port ${port})`)
      expect(failures[1]!.message).toBe(failures[0]!.message)
    })

    test('one that a tool was connected to is asked each time', async () => {
      const pool = impatient()
      const connection = await reach(pool)
      await sshd.down()
      await connection.lost
      const mute = createServer((socket) => {
        asked += 1
        socket.on('error', () => {}).resume()
      }).listen(sshd.port, '127.0.0.1')
      await once(mute, 'listening')
      expect(await failureOf(pool)).toMatchObject({ code: 'unreachable' })
      expect(await failureOf(pool)).toMatchObject({ code: 'unreachable' })
      expect(asked).toBe(2)
      expect((await failureOf(impatient())).message).toMatch(/asks it again in 30 s$/)
      mute.close()
      await sshd.up()
      expect(await hello(await reach(pool))).toBe('hello\n')
      expect(await hello(await reach(impatient()))).toBe('hello\n')
    })
  })

  describe('without a holder that can be used', () => {
    const told = async (variables: Record<string, string> = {}): Promise<readonly ReportEvent[]> => {
      const events: ReportEvent[] = []
      const before = logins()
      const pool = tool({ report: (event) => events.push(event) }, variables)
      expect(await hello(await reach(pool))).toBe('hello\n')
      expect(logins() - before).toBe(1)
      return events
    }
    const GONE = [expect.objectContaining({ kind: 'detail', code: 'holder-gone' })]

    test('a tool connects by itself when it has ended', async () => {
      await holder.close()
      expect(await told()).toEqual(GONE)
    })

    test('a tool connects by itself when its socket was removed', async () => {
      rmSync(holder.socket)
      const message = expect.stringContaining(`its socket '${holder.socket}' is gone`) as string
      expect(await told()).toEqual([expect.objectContaining({ code: 'holder-gone', message })])
      await holder.close()
      expect(existsSync(join(holder.socket, '..'))).toBe(false)
    })

    test('a tool connects by itself when others may enter the directory of its socket, and warns of that', async () => {
      chmodSync(dirname(holder.socket), 0o755)
      const message = expect.stringContaining(`others may enter '${dirname(holder.socket)}'`) as string
      expect(await told()).toEqual([expect.objectContaining({ kind: 'warning', code: 'holder-foreign', message })])
    })

    test('a tool in the middle learns that its channels are lost, and then connects by itself', async () => {
      const pool = tool()
      const connection = await reach(pool)
      const { exit, stdin, stdout } = await connection.run('cat >/dev/null')
      const broken = text(stdout).catch((error: unknown) => error)
      await holder.close()
      const lost = { code: 'connection-lost', message: expect.stringContaining('davit-connect') }
      await expect(exit).rejects.toMatchObject(lost)
      expect(await broken).toMatchObject(lost)
      expect(await connection.lost).toMatchObject(lost)
      expect(stdin.destroyed).toBe(true)
      expect(await hello(await reach(pool))).toBe('hello\n')
    })

    test('a tool in the middle keeps its channels when the socket is removed, and connects by itself for new ones', async () => {
      const before = logins()
      const connection = await reach(tool())
      const { stdin, stdout } = await connection.run('read line; echo "$line"')
      rmSync(holder.socket)
      expect(await hello(connection)).toBe('hello\n')
      // Its own server, too, allows one session at a time, and counts the first one until it has ended.
      await until(async () => expect(await hello(connection)).toBe('hello\n'))
      stdin.end('said\n')
      expect(await text(stdout)).toBe('said\n')
      expect(logins() - before).toBe(2)
    })

    test.each<[string, (socket: Socket) => void]>([
      ['says what the tool does not know', (socket) => socket.end('{"kind":"unheard-of"}\n')],
      ['hangs up on the number of the protocol', (socket) => void socket.once('data', () => socket.destroy())],
    ])('a tool connects by itself, and says so, when another version %s', async (_, answer) => {
      const other = createServer(answer).listen(`${holder.socket}2`)
      await once(other, 'listening')
      const message = expect.stringContaining('it refused this version of davit') as string
      const gone = expect.objectContaining({ kind: 'detail', code: 'holder-gone', message }) as unknown
      expect(await told({ [HOLDER_VARIABLE]: `${holder.socket}2` })).toEqual([gone])
      other.close()
    })
  })

  test('a local script does not learn of it', async () => {
    const connection = await tool().connect([{ kind: 'local' }])
    expect(await text((await connection.run(`echo "\${${HOLDER_VARIABLE}-none}"`)).stdout)).toBe('none\n')
  })

  test('a tool that goes away ends the input of its scripts', async () => {
    const file = join(sshd.directory, 'ended')
    const pool = tool()
    const { stdin } = await (await reach(pool)).run(`cat >'${file}.part'; mv '${file}.part' '${file}'`)
    const written = 'all that was written\n'.repeat(5_000)
    await new Promise((resolve) => stdin.write(written, resolve))
    await pool.close()
    await until(() => existsSync(file))
    expect(readFileSync(file, 'utf8')).toBe(written)
  })
})
