import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import type { DavitError, Trace } from '@davit/diagnostics'
import { type Environment, environment, runCommand } from '@davit/process'
import { makeKey, publicKey, sshdMissing, startSshd, type TestSshd } from '@davit/testing/sshd'
import { until } from '@davit/testing/wait'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Connection } from '../src/connection.ts'
import { openSsh } from '../src/open-ssh.ts'
import { sshAnswers } from '../src/ssh-answers.ts'

const missing = sshdMissing()
if (missing !== undefined) console.warn(`SKIPPED: tests with a real sshd: ${missing}`)

let sshd: TestSshd

beforeAll(async () => {
  if (missing === undefined) sshd = await startSshd({ lines: ['MaxSessions 2'] })
})
afterAll(() => sshd?.stop())

async function withConnection<Result>(
  lines: readonly string[],
  use: (connection: Connection) => Promise<Result>,
  variables: Environment = {},
): Promise<Result> {
  const file = join(sshd.directory, 'ssh_config_of_test')
  const common = `UserKnownHostsFile ${sshd.knownHostsFile}\nHostKeyAlias [127.0.0.1]:${sshd.port}\nUser root\n`
  writeFileSync(file, `${lines.join('\n')}\nMatch all\n${common}`)
  const connection = await openSsh(sshd.address, {
    environment: { ...sshd.environment, ...variables, DAVIT_SSH_CONFIG: file },
  })
  try {
    return await use(connection)
  } finally {
    await connection.close()
  }
}

const hello = async (connection: Connection): Promise<string> => text((await connection.run('echo hello')).stdout)

/** Makes a key that may log in, with options such as a forced command. */
async function addKey(name: string, options = ''): Promise<string> {
  const file = join(sshd.directory, name)
  await makeKey(file, 'ed25519')
  appendFileSync(join(sshd.directory, 'authorized_keys'), `${options} ${publicKey(file)}\n`)
  return file
}

test.skipIf(missing !== undefined)('a session that was just closed does not prevent the next one', async () => {
  await withConnection([`IdentityFile ${sshd.clientKey}`], async (connection) => {
    // sshd counts a session until its process has ended.
    const channels = await Promise.all([1, 2].map(() => connection.run('echo up; exec sleep 0.5')))
    await Promise.all(channels.map(({ stdout }) => once(stdout, 'data')))
    for (const channel of channels) {
      channel.exit.catch(() => {})
      channel.close()
    }
    expect(await hello(connection)).toBe('hello\n')
  })
})

test.skipIf(missing !== undefined)(
  'with the same answers, ssh is asked once, and each connects for itself',
  async () => {
    const done: string[] = []
    const trace: Trace = ({ name }) => {
      done.push(name)
      return () => {}
    }
    const options = { environment: sshd.environment, answers: sshAnswers(), trace }
    const [first, second] = [await openSsh(sshd.address, options), await openSsh(sshd.address, options)]
    await first.close()
    expect(await hello(second)).toBe('hello\n')
    await second.close()
    const times = (name: string) => done.filter((one) => one === name).length
    expect({ asked: times('ssh -G'), connected: times('handshake') }).toEqual({ asked: 2, connected: 2 })
  },
)

describe.skipIf(missing !== undefined)('authentication', () => {
  let agent: { readonly socket: string; stop(): void }

  beforeAll(async () => {
    const socket = join(sshd.directory, 'agent')
    const program = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'ignore'] })
    await once(program.stdout, 'data')
    agent = { socket, stop: () => program.kill() }
    for (let number = 1; number <= 7; number += 1) {
      await makeKey(join(sshd.directory, `stranger${number}`), 'ed25519')
      await addToAgent(`stranger${number}`)
    }
  })
  afterAll(() => agent.stop())

  async function addToAgent(name: string): Promise<void> {
    const argv = ['ssh-add', '-q', join(sshd.directory, name)] as const
    await runCommand({ argv, env: { PATH: environment()['PATH'] ?? '', SSH_AUTH_SOCK: agent.socket } })
  }

  const refused = async (lines: readonly string[], variables: Environment = {}): Promise<DavitError> => {
    const error: unknown = await withConnection(lines, hello, variables).catch((cause: unknown) => cause)
    expect(error).toMatchObject({ code: 'authentication-failed', exitStatus: 77 })
    return error as DavitError
  }

  test('a key that the server does not know is refused, and named', async () => {
    const file = join(sshd.directory, 'stranger1')
    const before = sshd.log().length
    const { message, hint } = await refused([`IdentityFile ${file}`])
    await until(() => expect(sshd.log().slice(before)).toContain('authenticating user root'))
    expect(message).toBe(`cannot log in to '${sshd.address}' as root@127.0.0.1: tried '${file}'`)
    expect(hint).toContain(`'ssh -F ${sshd.directory}/ssh_config_of_test ssh://${sshd.address}' work without prompts`)
  })

  test('an encrypted key is skipped with the hint to use the agent', async () => {
    const file = join(sshd.directory, 'encrypted')
    await makeKey(file, 'ed25519', 'secret')
    const { message } = await refused([`IdentityFile ${file}`])
    expect(message).toContain(`no key to try; '${file}' is encrypted (add it to the agent with ssh-add)`)
  })

  test('a missing key that the configuration names is reported', async () => {
    const { message, hint } = await refused([`IdentityFile ${sshd.directory}/none`])
    expect(message).toContain(`'${sshd.directory}/none' does not exist`)
    expect(hint).toMatch(/^make 'ssh -F \S+ ssh:/)
    expect((await refused(['IdentitiesOnly yes'], { HOME: sshd.directory })).message).not.toContain('does not exist')
  })

  test('a server that wants a password says so', async () => {
    const { message } = await refused(['IdentityFile none'], { SSH_AUTH_SOCK: '/no/agent' })
    expect(message).toContain("cannot reach the agent at '/no/agent'")
  })

  test('the second of two keys is tried', async () => {
    const lines = [`IdentityFile ${join(sshd.directory, 'stranger1')}`, `IdentityFile ${sshd.clientKey}`]
    expect(await withConnection(lines, hello)).toBe('hello\n')
  })

  test.each(['rsa', 'ecdsa'] as const)('an %s key is good as well', async (type) => {
    const file = join(sshd.directory, `client_${type}`)
    await makeKey(file, type)
    appendFileSync(join(sshd.directory, 'authorized_keys'), `${publicKey(file)}\n`)
    expect(await withConnection([`IdentityFile ${file}`], hello)).toBe('hello\n')
  })

  test('an agent with more keys than the server takes offers the configured one first', async () => {
    const file = await addKey('in-agent')
    await addToAgent('in-agent')
    const variables = { SSH_AUTH_SOCK: agent.socket }
    expect((await refused(['IdentityFile none'], variables)).message).toMatch(/too many authentication failures/i)
    writeFileSync(file, 'the agent has it, and nobody reads it here')
    expect(await withConnection([`IdentityFile ${file}`], hello, variables)).toBe('hello\n')
    expect(await withConnection([`IdentityFile ${file}`, `IdentityAgent ${agent.socket}`], hello)).toBe('hello\n')
    const { message } = await refused(
      [`IdentityFile ${join(sshd.directory, 'stranger1')}`, 'IdentitiesOnly yes'],
      variables,
    )
    expect(message).toContain('tried 1 key of the agent')
  })

  test('SSH_USER and SSH_OPTS say what the configuration does not', async () => {
    const variables = { SSH_USER: 'nobody', SSH_OPTS: `-i ${sshd.clientKey}  -o IdentityAgent=none` }
    expect((await refused([], variables)).message).toContain('as nobody@127.0.0.1')
    expect(await withConnection([], hello, { ...variables, SSH_USER: '' })).toBe('hello\n')
  })
})

describe.skipIf(missing !== undefined)('login shells', () => {
  test('what .bashrc prints comes before the script, which runs all the same', async () => {
    writeFileSync(join(sshd.home, '.bashrc'), 'echo "welcome to .bashrc"; unset PATH; set -o noglob\n')
    const output = await withConnection([`IdentityFile ${sshd.clientKey}`], hello)
    writeFileSync(join(sshd.home, '.bashrc'), '')
    expect(output).toBe('welcome to .bashrc\nhello\n')
  })

  test.each(['sh', 'bash', 'dash', 'busybox sh', 'zsh', 'fish', 'tcsh', 'csh'])('%s starts scripts', async (shell) => {
    const [program = ''] = shell.split(' ')
    // Not by running it: fish would leave files in the home directory of whoever runs the tests.
    if (spawnSync('sh', ['-c', 'command -v "$0"', program]).status !== 0)
      return console.warn(`SKIPPED: there is no ${program} here`)
    const file = await addKey(`login-${program}-${shell.length}`, `command="${shell} -c \\"$SSH_ORIGINAL_COMMAND\\""`)
    const script = 'printf "%s\\n" "$0 \'\\"!$(echo x)"; cat; exit 5'
    await withConnection([`IdentityFile ${file}`], async (connection) => {
      const { stdin, stdout, exit } = await connection.run(script)
      stdin.end('rest\n')
      expect(await text(stdout)).toBe('/bin/sh \'"!x\nrest\n')
      expect(await exit).toBe(5)
    })
  })
})

describe.skipIf(missing !== undefined)('a link that breaks', () => {
  /** Opens a connection through a proxy of the test, which can be cut or frozen. */
  async function throughProxy(
    use: (connection: Connection, sockets: readonly Socket[]) => Promise<void>,
    lines: readonly string[] = [],
  ) {
    const sockets: Socket[] = []
    const proxy = createServer((near) => {
      const far = connect(sshd.port, '127.0.0.1')
      near.pipe(far).pipe(near)
      sockets.push(near, far)
      for (const socket of [near, far]) socket.on('error', () => {})
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const { port } = proxy.address() as AddressInfo
    try {
      const settings = [`Match all`, `Port ${port}`, `IdentityFile ${sshd.clientKey}`, ...lines]
      const file = join(sshd.directory, 'ssh_config_of_proxy')
      writeFileSync(
        file,
        [...settings, `UserKnownHostsFile ${sshd.knownHostsFile}`, `HostKeyAlias [127.0.0.1]:${sshd.port}`].join('\n'),
      )
      const connection = await openSsh('root@127.0.0.1', {
        environment: { ...sshd.environment, DAVIT_SSH_CONFIG: file },
      })
      await use(connection, sockets)
      await connection.close()
    } finally {
      for (const socket of sockets) socket.destroy()
      proxy.close()
    }
  }

  test('fails all that its channels do', async () => {
    await throughProxy(async (connection, sockets) => {
      const cat = await connection.run('cat')
      const silent = await connection.run('sleep 60')
      const source = Readable.from(
        (async function* () {
          for (let index = 0; index < 200; index += 1) {
            if (index === 20) for (const socket of sockets) socket.destroy()
            yield Buffer.alloc(100_000)
            await new Promise(setImmediate)
          }
        })(),
      )
      const lost = { code: 'connection-lost', exitStatus: 69, message: expect.stringContaining("'root@127.0.0.1'") }
      const [sent, received] = await Promise.allSettled([pipeline(source, cat.stdin), text(cat.stdout)])
      expect([sent, received]).toMatchObject([{ reason: lost }, { reason: lost }])
      await expect(cat.exit).rejects.toMatchObject(lost)
      await expect(silent.exit).rejects.toMatchObject(lost)
      await expect(text(silent.stderr)).rejects.toMatchObject(lost)
      await expect(connection.run('true')).rejects.toMatchObject(lost)
      expect(await connection.lost).toMatchObject(lost)
    })
  })

  test('is noticed when it only falls silent', async () => {
    await throughProxy(
      async (connection, sockets) => {
        const { exit } = await connection.run('sleep 60')
        for (const socket of sockets) socket.unpipe().pause()
        await expect(exit).rejects.toMatchObject({
          code: 'connection-lost',
          message: expect.stringContaining('Keepalive'),
        })
      },
      ['ServerAliveInterval 1', 'ServerAliveCountMax 1'],
    )
  })
})

test.skipIf(missing !== undefined)('a session too many is refused, and the others go on', async () => {
  await withConnection([`IdentityFile ${sshd.clientKey}`], async (connection) => {
    const first = await connection.run('cat')
    await connection.run('cat')
    await expect(connection.run('cat')).rejects.toMatchObject({ code: 'session-refused', exitStatus: 69 })
    first.stdin.end('still here')
    expect(await text(first.stdout)).toBe('still here')
  })
})
