import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { DavitError, type ReportEvent, type Trace } from '@davit/diagnostics'
import { runCommand } from '@davit/process'
import { freePort } from '@davit/testing/free-port'
import { makeKey, publicKey, sshdMissing, startSshd, type TestSshd } from '@davit/testing/sshd'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { connectionPool, limiter, type SshOptions } from '../src/connection.ts'
import { openSsh } from '../src/open-ssh.ts'

const missing = sshdMissing()
if (missing !== undefined) console.warn(`SKIPPED: tests with a real sshd: ${missing}`)

let sshd: TestSshd
let inner: TestSshd
let otherKey: string

beforeAll(async () => {
  if (missing !== undefined) return
  ;[sshd, inner] = await Promise.all([
    startSshd({ hostKeys: ['ed25519', 'rsa'] }),
    startSshd({ lines: ['MaxStartups 1'] }),
  ])
  await makeKey(join(sshd.directory, 'other'), 'ed25519')
  otherKey = publicKey(join(sshd.directory, 'other'))
})
afterAll(async () => {
  await Promise.all([sshd?.stop(), inner?.stop()])
})

async function greeting(address: string, options: Partial<SshOptions> = {}): Promise<string> {
  const connection = await openSsh(address, { environment: sshd.environment, ...options })
  try {
    const { stdout } = await connection.run('echo hello')
    return (await text(stdout)).trim()
  } finally {
    await connection.close()
  }
}

async function failure(address: string, options: Partial<SshOptions> = {}): Promise<DavitError> {
  const error: unknown = await greeting(address, options).catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(DavitError)
  return error as DavitError
}

/** Expects that sshd saw a connection end before any user name was sent. */
async function expectSilence({ log }: TestSshd, before: number): Promise<void> {
  const said = (): string => log().slice(before)
  await vi.waitUntil(() => /Connection (?:closed|reset) by|Received disconnect|Disconnected from/.test(said()))
  expect(said()).toContain('Connection from 127.0.0.1')
  expect(said()).not.toMatch(/user|Accepted|Failed|Postponed|publickey/)
}

/** Writes an ssh configuration for one test, which begins with the given lines. */
function configured(...lines: readonly string[]): Partial<SshOptions> {
  const file = join(sshd.directory, 'ssh_config_of_test')
  writeFileSync(file, `${lines.join('\n')}\nMatch all\n${readFileSync(sshd.configFile, 'utf8')}`)
  return { environment: { ...sshd.environment, DAVIT_SSH_CONFIG: file } }
}

describe.skipIf(missing !== undefined)('host keys', () => {
  const known = (lines: string): void => writeFileSync(sshd.knownHostsFile, `${lines}\n`)
  const name = (): string => `[127.0.0.1]:${sshd.port}`

  beforeEach(() => known(`${name()} ${sshd.hostKey('ed25519')}`))

  test('a connection is traced from the question to ssh up to the handshake', async () => {
    const spans: string[] = []
    const trace: Trace = ({ name: what, place }) => {
      spans.push(`${what} ${place}`)
      return () => spans.push(`end of ${what}`)
    }
    const { address } = sshd
    await greeting(address, { trace })
    expect(spans.slice(-4)).toEqual([
      `connect ${address}`,
      'end of connect',
      `handshake ${address}`,
      'end of handshake',
    ])
    expect(spans.slice(0, -4).toSorted()).toEqual(
      ['end of ssh -G', 'end of ssh -G', `ssh -G ${address}`, 'ssh -G localhost'].toSorted(),
    )
  })

  test('a host known by its name and port is reached', async () => {
    expect(await greeting(sshd.address)).toBe('hello')
  })

  test('a host known by its bare name is reached', async () => {
    known(`127.0.0.1 ${sshd.hostKey('ed25519')}`)
    expect(await greeting(sshd.address)).toBe('hello')
  })

  test('a host known by a hashed name is reached', async () => {
    await runCommand({ argv: ['ssh-keygen', '-H', '-f', sshd.knownHostsFile] })
    expect(readFileSync(sshd.knownHostsFile, 'utf8')).toMatch(/^\|1\|/)
    expect(await greeting(sshd.address)).toBe('hello')
  })

  test('a host known by its RSA key only is reached, though it has another', async () => {
    known(`${name()} ${sshd.hostKey('rsa')}`)
    expect(await greeting(sshd.address)).toBe('hello')
  })

  test('an unknown key is refused before the user name is sent', async () => {
    known('')
    const before = sshd.log().length
    const error = await failure(sshd.address)
    expect(error).toMatchObject({ code: 'host-key-unknown', exitStatus: 77 })
    expect(error.message).toContain(`'${sshd.address}'`)
    expect(error.message).toMatch(/ssh-ed25519 SHA256:/)
    expect(error.hint).toContain(`ssh-keyscan -p ${sshd.port} 127.0.0.1 >> ${sshd.knownHostsFile}`)
    await expectSilence(sshd, before)
  })

  test.each(['yes', 'accept-new', 'no'])(
    'a changed key is refused with StrictHostKeyChecking %s',
    async (strictness) => {
      known(`# comment\n${name()} ${otherKey}`)
      const before = sshd.log().length
      const error = await failure(sshd.address, configured(`StrictHostKeyChecking ${strictness}`))
      expect(error).toMatchObject({ code: 'host-key-changed', exitStatus: 77 })
      await expectSilence(sshd, before)
      expect(error.message).toContain(`${sshd.knownHostsFile}:2`)
      expect(error.hint).toContain(`ssh-keygen -R '${name()}' -f ${sshd.knownHostsFile}`)
    },
  )

  test('a revoked key is refused, though it is known', async () => {
    known(`@revoked * ${sshd.hostKey('ed25519')}\n${name()} ${sshd.hostKey('ed25519')}`)
    expect(await failure(sshd.address)).toMatchObject({ code: 'host-key-revoked', exitStatus: 77 })
  })

  test.each(['no', 'yes'])('accept-new records a new key (HashKnownHosts %s), and reports that', async (hash) => {
    writeFileSync(sshd.knownHostsFile, '# no newline at the end')
    const events: ReportEvent[] = []
    const options = configured('StrictHostKeyChecking accept-new', `HashKnownHosts ${hash}`)
    expect(await greeting(sshd.address, { ...options, report: (event) => events.push(event) })).toBe('hello')
    expect(events).toMatchObject([{ kind: 'warning', message: expect.stringContaining('added the host key') }])
    expect(readFileSync(sshd.knownHostsFile, 'utf8').split('\n')).toHaveLength(3)
    expect(readFileSync(sshd.knownHostsFile, 'utf8').includes(name())).toBe(hash === 'no')
    expect(await greeting(sshd.address)).toBe('hello')
  })

  test('HostKeyAlias takes the place of the name', async () => {
    known(`alias ${sshd.hostKey('ed25519')}`)
    expect(await greeting(sshd.address, configured('HostKeyAlias Alias'))).toBe('hello')
  })
})

describe.skipIf(missing !== undefined)('jump hosts', () => {
  const knownInner = (key: string): void => appendFileSync(sshd.knownHostsFile, `[127.0.0.1]:${inner.port} ${key}\n`)
  const jump = (): Partial<SshOptions> =>
    configured(
      'Host bastion',
      `HostKeyAlias [127.0.0.1]:${sshd.port}`,
      'HostName 127.0.0.1',
      `Port ${sshd.port}`,
      'Host inner',
      `Port ${inner.port}`,
      'HostName 127.0.0.1',
      `IdentityFile ${inner.clientKey}`,
      'ProxyJump root@bastion',
    )

  beforeEach(() => writeFileSync(sshd.knownHostsFile, `[127.0.0.1]:${sshd.port} ${sshd.hostKey('ed25519')}\n`))

  test('ProxyJump leads to a host behind another', async () => {
    knownInner(inner.hostKey('ed25519'))
    const before = sshd.log().length
    expect(await greeting('inner', jump())).toBe('hello')
    expect(sshd.log().slice(before)).toContain('Accepted publickey')
  })

  test('the key of the second hop is verified as well', async () => {
    knownInner(otherKey)
    const before = inner.log().length
    const error = await failure('inner', jump())
    expect(error).toMatchObject({ code: 'host-key-changed', exitStatus: 77 })
    expect(error.message).toContain("'inner'")
    await expectSilence(inner, before)
  })

  test('an unknown key behind a jump host is refused before the user name is sent there', async () => {
    const before = inner.log().length
    const error = await failure('inner', jump())
    expect(error).toMatchObject({ code: 'host-key-unknown', exitStatus: 77 })
    expect(error.hint).toMatch(/ then run: ssh -F \S+ inner$/)
    await expectSilence(inner, before)
  })

  test('the key of the first hop is verified, with its own name', async () => {
    writeFileSync(sshd.knownHostsFile, '')
    knownInner(inner.hostKey('ed25519'))
    const [before, beforeInner] = [sshd.log().length, inner.log().length]
    const error = await failure('inner', jump())
    expect(error).toMatchObject({ code: 'host-key-unknown', exitStatus: 77 })
    expect(error.message).toContain("'root@bastion'")
    expect(error.hint).toMatch(/ then run: ssh -F \S+ root@bastion$/)
    await expectSilence(sshd, before)
    // The connection of an earlier test may end only now.
    expect(inner.log().slice(beforeInner)).not.toMatch(/^(Connection from|Accepted|Failed)/m)
  })

  test('the error for a refused port behind a jump host names it', async () => {
    const port = await freePort()
    const options = configured('Host hidden', 'HostName 127.0.0.1', `ProxyJump root@127.0.0.1:${sshd.port}`)
    const error = await failure(`hidden:${port}`, options)
    expect(error).toMatchObject({ code: 'unreachable', exitStatus: 69 })
    expect(error.message).toContain(
      `: connection refused (127.0.0.1 port ${port}, through 'root@[127.0.0.1]:${sshd.port}')`,
    )
  })
})

describe.skipIf(missing !== undefined)('hosts that cannot be reached', () => {
  test('a refused port', async () => {
    const port = await freePort()
    const error = await failure(`127.0.0.1:${port}`)
    expect(error).toMatchObject({ code: 'unreachable', exitStatus: 69 })
    expect(error.message).toBe(`cannot reach '127.0.0.1:${port}': connection refused (127.0.0.1 port ${port})`)
  })

  test('a name that does not exist', async () => {
    expect(await failure('no-such-host.invalid')).toMatchObject({ code: 'unreachable', exitStatus: 69 })
  })

  test('a server that hangs up is tried a limited number of times', async () => {
    let connections = 0
    const server = createServer((socket) => {
      connections += 1
      socket.destroy()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    expect(await failure(`127.0.0.1:${port}`, { attempts: 2 })).toMatchObject({ code: 'unreachable', exitStatus: 69 })
    expect(connections).toBe(2)
    server.close()
  })

  test('a server that says nothing is given up after ConnectTimeout', async () => {
    const server = createServer(() => {}).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const error = await failure(`127.0.0.1:${port}`, { ...configured('ConnectTimeout 1'), attempts: 1 })
    expect(error).toMatchObject({ exitStatus: 69, message: expect.stringContaining('no ssh handshake within 1 s') })
    server.close()
  })

  test('connecting is given up on abort', async () => {
    const server = createServer(() => {}).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const controller = new AbortController()
    server.once('connection', () => controller.abort(new DavitError('interrupted', 'stop')))
    expect(await failure(`127.0.0.1:${port}`, { signal: controller.signal })).toMatchObject({ code: 'interrupted' })
    server.close()
  })

  test('a broken ssh configuration is reported in the words of ssh', async () => {
    expect(await failure('web1', configured('NoSuchOption 1'))).toMatchObject({
      code: 'bad-ssh-configuration',
      hint: expect.stringMatching(/^run 'ssh -G -F \/\S+ web1' to see the whole error$/),
    })
  })

  test('ProxyCommand is refused by name', async () => {
    expect(await failure('web1', configured('ProxyCommand nc %h %p'))).toMatchObject({ code: 'unsupported-ssh-option' })
  })

  test('handshakes that sshd drops for being too many are tried again', async () => {
    const options = { environment: inner.environment, handshakes: limiter(4) }
    const greetings = [1, 2, 3, 4].map(() => greeting(inner.address, options))
    expect(await Promise.all(greetings)).toEqual(['hello', 'hello', 'hello', 'hello'])
    expect(inner.log()).toContain('MaxStartups')
  })
})

describe.skipIf(missing !== undefined)('connectionPool()', () => {
  test('gives one connection for all addresses that lead to the same account, and ends it', async () => {
    const pool = connectionPool({ environment: { ...inner.environment, SSH_USER: 'root' } })
    const addresses = [inner.address, `root@${inner.address}`, `ssh://root@[127.0.0.1]:${inner.port}`]
    const [first, ...others] = await Promise.all(addresses.map((address) => pool.connect({ kind: 'ssh', address })))
    expect(others).toEqual([first, first])
    expect(others.every((other) => other === first)).toBe(true)
    expect(await pool.connect({ kind: 'local' })).toBe(await pool.connect({ kind: 'local' }))
    await pool.close()
    await expect(first?.run('echo')).rejects.toMatchObject({ code: 'connection-lost' })
    await expect(pool.connect({ kind: 'ssh', address: inner.address })).rejects.toMatchObject({ code: 'interrupted' })
  })

  test('opens a new connection once one was lost', async () => {
    const pool = connectionPool({ environment: inner.environment })
    const first = await pool.connect({ kind: 'ssh', address: inner.address })
    await first.run('kill -9 $PPID')
    await first.lost
    const second = await pool.connect({ kind: 'ssh', address: inner.address })
    const { stdout } = await second.run('echo back')
    expect(await text(stdout)).toBe('back\n')
    await pool.close()
  })
})
