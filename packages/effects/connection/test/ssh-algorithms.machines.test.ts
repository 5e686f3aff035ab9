import { spawnSync } from 'node:child_process'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { DavitError } from '@davit/diagnostics'
import { runCommand } from '@davit/process'
import { publicKey, sshdMissing, startSshd, type TestSshd } from '@davit/testing/sshd'
import { until } from '@davit/testing/wait'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSsh } from '../src/open-ssh.ts'
import { ACCEPTED, REFUSED } from '../src/ssh-keywords.ts'

const missing = sshdMissing()
if (missing !== undefined) console.warn(`SKIPPED: tests with a real sshd: ${missing}`)

const LINES = [
  'KexAlgorithms ecdh-sha2-nistp384,diffie-hellman-group16-sha512,curve25519-sha256',
  'Ciphers aes256-ctr,aes192-ctr',
  'MACs hmac-sha2-512,hmac-sha1',
  'Compression yes',
  'AcceptEnv DAVIT_TEST_*',
]

describe.skipIf(missing !== undefined)('a server that offers only some algorithms', () => {
  let sshd: TestSshd
  beforeAll(async () => {
    sshd = await startSshd({ hostKeys: ['rsa', 'ecdsa'], lines: LINES, logLevel: 'DEBUG1' })
  })
  afterAll(() => sshd?.stop())

  async function said(lines: readonly string[], script = 'echo hello'): Promise<string> {
    const file = join(sshd.directory, 'ssh_config_of_test')
    writeFileSync(file, `${lines.join('\n')}\nMatch all\n${readFileSync(sshd.configFile, 'utf8')}`)
    const connection = await openSsh(sshd.address, { environment: { ...sshd.environment, DAVIT_SSH_CONFIG: file } })
    try {
      return (await text((await connection.run(script)).stdout)).trim()
    } finally {
      await connection.close()
    }
  }
  async function agreed(...lines: readonly string[]): Promise<string> {
    const before = sshd.log().length
    expect(await said(lines)).toBe('hello')
    await until(() => expect(sshd.log().slice(before)).toContain('Received disconnect'))
    return sshd.log().slice(before)
  }
  const refused = async (...lines: readonly string[]): Promise<DavitError> => {
    const error: unknown = await said(lines).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(DavitError)
    return error as DavitError
  }

  test('is reached where the configuration names no algorithms', async () => {
    expect(await agreed()).toMatch(/kex: algorithm: \S+/)
  })

  test.each([
    ['KexAlgorithms ecdh-sha2-nistp384,curve25519-sha256', /kex: algorithm: ecdh-sha2-nistp384 /],
    ['KexAlgorithms diffie-hellman-group16-sha512', /kex: algorithm: diffie-hellman-group16-sha512 /],
    ['KexAlgorithms sntrup761x25519-sha512@openssh.com,curve25519-sha256', /kex: algorithm: curve25519-sha256 /],
    ['Ciphers aes192-ctr,aes256-ctr', /kex: client->server cipher: aes192-ctr /],
    ['Ciphers aes256-ctr,aes192-ctr', /kex: client->server cipher: aes256-ctr /],
    ['MACs hmac-sha1,hmac-sha2-512', /kex: client->server cipher: \S+ MAC: hmac-sha1 /],
    ['MACs umac-64@openssh.com,hmac-sha2-512', /kex: client->server cipher: \S+ MAC: hmac-sha2-512 /],
    ['HostKeyAlgorithms rsa-sha2-256', /kex: host key algorithm: rsa-sha2-256 /],
    ['HostKeyAlgorithms ecdsa-sha2-nistp256,rsa-sha2-512', /kex: host key algorithm: ecdsa-sha2-nistp256 /],
    ['Compression yes', /kex: client->server .* compression: zlib@openssh.com /],
    ['Compression no', /kex: client->server .* compression: none /],
  ])('%s', async (line, agreement) => {
    expect(`${await agreed(line)} `).toMatch(new RegExp(agreement.source.replace(/ $/, '\\s'), 'm'))
  })

  test.each([
    ['KexAlgorithms diffie-hellman-group14-sha256'],
    ['Ciphers aes128-gcm@openssh.com'],
    ['MACs hmac-sha2-256'],
    ['HostKeyAlgorithms ssh-ed25519'],
  ])('is not reached with what it does not offer: %s', async (line) => {
    expect(await refused(line)).toMatchObject({ code: 'unreachable', exitStatus: 69 })
  })

  test.each([
    ['KexAlgorithms sntrup761x25519-sha512@openssh.com', 'KexAlgorithms', 'curve25519-sha256'],
    ['MACs umac-64@openssh.com,umac-128@openssh.com', 'MACs', 'hmac-sha2-256'],
    ['HostKeyAlgorithms ssh-ed25519-cert-v01@openssh.com', 'HostKeyAlgorithms', 'ssh-ed25519'],
  ])('what we cannot do is refused by name: %s', async (line, name, instead) => {
    expect(await refused(line)).toMatchObject({
      code: 'unsupported-ssh-option',
      message: `cannot connect to '${sshd.address}': none of its ${name} is supported`,
      hint: expect.stringContaining(instead),
    })
  })

  test('RequiredRSASize applies to host keys', async () => {
    const error = await refused('HostKeyAlgorithms rsa-sha2-512', 'RequiredRSASize 3072')
    expect(error).toMatchObject({ code: 'host-key-small', exitStatus: 77 })
    expect(error.message).toContain('it has 2048 bits, but RequiredRSASize is 3072')
    await agreed('HostKeyAlgorithms rsa-sha2-512', 'RequiredRSASize 2048')
  })

  test("RequiredRSASize and PubkeyAcceptedAlgorithms apply to the user's keys", async () => {
    const file = join(sshd.directory, 'rsa_of_test')
    await runCommand({ argv: ['ssh-keygen', '-q', '-t', 'rsa', '-b', '2048', '-N', '', '-f', file] })
    appendFileSync(join(sshd.directory, 'authorized_keys'), `${publicKey(file)}\n`)
    const own = ['IdentitiesOnly yes', 'IdentityAgent none', 'Host none', 'Match all', `IdentityFile ${file}`]
    const only = async (line: string): Promise<DavitError> => {
      const known = `UserKnownHostsFile ${sshd.knownHostsFile}\nGlobalKnownHostsFile /dev/null\nUser root\n`
      const config = join(sshd.directory, 'ssh_config_of_key')
      writeFileSync(config, `${line}\n${own.join('\n')}\n${known}`)
      const environment = { ...sshd.environment, DAVIT_SSH_CONFIG: config }
      const connection = await openSsh(sshd.address, { environment }).catch((error: unknown) => error)
      if (connection instanceof DavitError) return connection
      throw new Error('it was let in')
    }
    expect((await only('RequiredRSASize 3072\nHostKeyAlgorithms ecdsa-sha2-nistp256')).message).toContain(
      `'${file}' has 2048 bits, but RequiredRSASize is 3072`,
    )
    expect((await only('PubkeyAcceptedAlgorithms ssh-ed25519')).message).toContain(
      `'${file}' would sign with rsa-sha2-256, which PubkeyAcceptedAlgorithms does not list`,
    )
  })

  test('SetEnv sets what the server accepts', async () => {
    expect(await said(['SetEnv DAVIT_TEST_A="1 = 1"'], 'printf %s "$DAVIT_TEST_A"')).toBe('1 = 1')
  })

  test('BindAddress is where the connection comes from', async () => {
    expect(await agreed('BindAddress 127.0.0.2')).toContain('Connection from 127.0.0.2 ')
    expect((await refused('BindAddress localhost')).message).toContain("BindAddress 'localhost' is not an IP address")
  })

  test.each([
    ['RekeyLimit 1G', 'RekeyLimit'],
    ['CheckHostIP yes', 'CheckHostIP'],
    ['KnownHostsCommand /bin/cat /etc/hosts', 'KnownHostsCommand'],
    ['BindInterface lo', 'BindInterface'],
    ['RemoteCommand tmux', 'RemoteCommand'],
    ['SessionType none', 'SessionType'],
    ['RevokedHostKeys /etc/krl', 'RevokedHostKeys'],
  ])('%s is refused by name', async (line, name) => {
    expect(await refused(line)).toMatchObject({
      code: 'unsupported-ssh-option',
      message: `cannot connect to '${sshd.address}': ${name} is not supported`,
    })
  })

  test.each([['PubkeyAuthentication no'], ['PreferredAuthentications password,keyboard-interactive']])(
    '%s forbids all that we can do',
    async (line) => {
      expect((await refused(line)).message).toContain('its ssh configuration forbids keys')
    },
  )

  test.each([
    ['RekeyLimit default none'],
    ['CheckHostIP no'],
    ['ForwardAgent yes'],
    ['ControlMaster auto'],
    ['GSSAPIAuthentication yes'],
    ['SendEnv LANG'],
    ['IPQoS none'],
    ['LogLevel DEBUG'],
    ['VerifyHostKeyDNS yes'],
  ])('%s is no reason to refuse', async (line) => {
    await agreed(line)
  })
})

test('every keyword that this OpenSSH prints is in a list', () => {
  const { stdout } = spawnSync('ssh', ['-G', '-F', 'none', 'host'], { encoding: 'utf8' })
  const keywords = stdout.split('\n').flatMap((line) => line.split(' ')[0]?.toLowerCase() || [])
  const decided = new Set([...Object.values(ACCEPTED).flat(), ...REFUSED.keys()])
  expect(keywords.filter((keyword) => !decided.has(keyword))).toEqual([])
})
