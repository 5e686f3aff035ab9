import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { join } from 'node:path'

import { scratchDirectory } from '@davit/testing/scratch'
import { beforeEach, describe, expect, test } from 'vitest'

import { askSsh, askSshDefaults } from '../src/ask-ssh.ts'
import { parseSshConfiguration } from '../src/ssh-configuration.ts'
import { UNEXPANDED } from '../src/ssh-paths.ts'

const { homedir: home, uid, username } = userInfo()
const VARIABLES = { EXTRA: '/some where/%h', SOCK: '/run/agent', SSH_AUTH_SOCK: '/run/mine' }

let directory: string
let environment: Readonly<Record<string, string>>
beforeEach(() => {
  directory = scratchDirectory()
  environment = { PATH: process.env['PATH'] ?? '', ...VARIABLES, DAVIT_SSH_CONFIG: join(directory, 'config') }
})

/** What davit makes of the real output of ssh for the host `web`. */
async function asked(...lines: readonly string[]) {
  configure(lines)
  return askSsh('web', { environment, role: 'target', defaults: () => askSshDefaults({ environment }) })
}

function configure(lines: readonly string[]): void {
  const host = ['HostName web.example.org', 'User deploy', 'Port 2222']
  writeFileSync(join(directory, 'config'), `Host web\n${[...host, ...lines].map((line) => `  ${line}\n`).join('')}`)
}

/** What ssh itself says when it begins to connect, without reaching anybody. */
function saidBySsh(lines: readonly string[], more: readonly string[] = []): string {
  configure(lines)
  const argv = ['-v', '-F', join(directory, 'config'), '-o', 'BatchMode=yes', '-o', 'ConnectTimeout=5', ...more, 'web']
  return spawnSync('ssh', argv, { encoding: 'utf8', env: environment }).stderr
}

describe.each(['IdentityFile', 'CertificateFile'] as const)('%s', (keyword) => {
  test.each([
    ['/keys/%h_%p_%r_%n_%u', `/keys/web.example.org_2222_deploy_web_${username}`],
    ['/keys/%i', `/keys/${uid}`],
    ['/keys/%l', `/keys/${hostname()}`],
    ['/keys/%L', `/keys/${hostname().replace(/\..*/, '')}`],
    ['%d/key', `${home}/key`],
    ['~/key', `${home}/key`],
    [`~${username}/key`, `${home}/key`],
    ['/a%%b%%h', '/a%b%h'],
    ['"/with blank/%h"', '/with blank/web.example.org'],
    ['"${EXTRA}/key"', '/some where/%h/key'],
    ['/keys/%k', '/keys/web'],
  ])('%s is the file %s, as for ssh', async (written, file) => {
    const line = `${keyword} ${written}`
    const configuration = await asked(line)
    expect(keyword === 'IdentityFile' ? configuration.identityFiles : configuration.certificateFiles).toEqual([file])
    const what = keyword === 'IdentityFile' ? 'identity' : 'certificate'
    const said = saidBySsh([line], ['-o', 'ProxyCommand=sleep 1'])
    expect(said).toContain(`debug1: ${what} file ${file} type`)
  })

  test.each(['/keys/%C', '/keys/%z', '/keys/%', '~nobody-here/key', '%H'])('%s is refused by name', async (written) => {
    await expect(asked(`${keyword} ${written}`)).rejects.toMatchObject({
      code: 'unsupported-ssh-option',
      message: expect.stringMatching(new RegExp(`in ${keyword} of its ssh configuration`)),
    })
  })

  test.each(['${MISSING}/key', '${PATH'])('%s is refused', async (written) => {
    await expect(asked(`${keyword} ${written}`)).rejects.toThrow(/variable is not set|env/)
  })
})

test('%k is HostKeyAlias', async () => {
  const lines = ['HostKeyAlias Other', 'IdentityFile /keys/%k']
  expect((await asked(...lines)).identityFiles).toEqual(['/keys/other'])
  expect(saidBySsh(lines, ['-o', 'ProxyCommand=sleep 1'])).toContain('identity file /keys/other type')
})

test('%j is ProxyJump', async () => {
  expect((await asked('ProxyJump a,b', 'IdentityFile /keys/%j')).identityFiles).toEqual(['/keys/a,b'])
})

test.each([
  ['jump-%h', ['jump-web.example.org'], "'[web.example.org]:2222' jump-web.example.org"],
  ['a%%%n', ['a%web'], "'[web.example.org]:2222' a%web"],
  ['u%r@jump', ['udeploy@jump'], '-l udeploy '],
  ['one-%n,two-%p', ['one-web', 'two-2222'], 'ssh -J one-web -F'],
])('ProxyJump %s leads over %j, as for ssh', async (written, hosts, said) => {
  const line = `ProxyJump ${written}`
  expect((await asked(line)).proxyJump).toEqual(hosts)
  // Its own ssh cannot resolve the name, or refuses it.
  expect(saidBySsh([line])).toContain(said)
})

test('ProxyJump expands no other tokens, and no variables', async () => {
  await expect(asked('ProxyJump jump-%u')).rejects.toThrow("'%u' in ProxyJump of its ssh configuration")
})

describe('UserKnownHostsFile', () => {
  test.each([
    ['~/a %d/b ${SOCK}/c /d', [`${home}/a`, `${home}/b`, '/run/agent/c', '/d']],
    ['"/with blank/a" "%d/with blank"', ['/with blank/a', `${home}/with blank`]],
    ['/hosts/%h_%p_%k', ['/hosts/web.example.org_2222_web']],
    ['none', []],
  ])('%s are the files %j', async (written, files) => {
    expect((await asked(`UserKnownHostsFile ${written}`)).userKnownHostsFiles).toEqual(files)
  })

  test('that may be one file or two is refused, and one with a blank is not', async () => {
    writeFileSync(join(directory, 'hosts'), '')
    await expect(asked(`UserKnownHostsFile ${directory}/hosts other`)).rejects.toThrow('may be several files')
    mkdirSync(join(directory, 'hosts and'))
    writeFileSync(join(directory, 'hosts and/more'), '')
    const files = [`${directory}/hosts and/more`]
    expect((await asked(`UserKnownHostsFile "${files[0]}"`)).userKnownHostsFiles).toEqual(files)
  })

  test('whose tokens stand for a percent sign has that', async () => {
    expect((await asked('UserKnownHostsFile /a%%h')).userKnownHostsFiles).toEqual(['/a%h'])
    expect((await asked('IdentityAgent /a%%h')).agent).toBe('/a%h')
  })
})

test.each(['userknownhostsfile', 'identityagent'])('%s of an old ssh is expanded, or refused by name', (keyword) => {
  const printed = (value: string) => `hostname web\nuser me\n${keyword} ${value}\n`
  const account = { home, localUser: username, localUserId: uid, originalHost: 'web', environment: VARIABLES }
  const parse = (value: string) =>
    parseSshConfiguration('web', printed(value), { ...account, defaults: `userknownhostsfile ${UNEXPANDED}\n` })
  const { agent, userKnownHostsFiles } = parse('~/%h')
  expect(keyword === 'identityagent' ? [agent] : userKnownHostsFiles).toEqual([`${home}/web`])
  expect(() => parse('/%C')).toThrow(/'%C' in (?:UserKnownHostsFile|IdentityAgent)/)
})

test('GlobalKnownHostsFile is taken as it is, as ssh does', async () => {
  expect((await asked('GlobalKnownHostsFile /etc/%h ~/b')).globalKnownHostsFiles).toEqual(['/etc/%h', '~/b'])
})

test.each([
  ['SSH_AUTH_SOCK', '/run/mine'],
  ['$SOCK', '/run/agent'],
  ['${SOCK}/%r', '/run/agent/deploy'],
  ['~/agent', `${home}/agent`],
  ['%d/agent', `${home}/agent`],
  ['none', undefined],
  ['$MISSING', undefined],
])('IdentityAgent %s is the socket %s', async (written, socket) => {
  expect((await asked(`IdentityAgent ${written}`)).agent).toBe(socket)
})

test.each([
  ['KnownHostsCommand /bin/echo %H', 'KnownHostsCommand'],
  ['RevokedHostKeys ~/revoked', 'RevokedHostKeys'],
  ['ProxyCommand nc %h %p', 'ProxyCommand'],
])('%s is refused by name', async (line, name) => {
  await expect(asked(line)).rejects.toThrow(`${name} is not supported`)
})

test('ControlPath does not matter, whatever it holds', async () => {
  expect((await asked('ControlPath ~/.ssh/%C', 'ControlMaster auto')).hostname).toBe('web.example.org')
})

test('a user with a token is refused by name', async () => {
  configure([])
  await expect(
    askSsh('web', {
      environment: { ...environment, SSH_USER: 'u%h' },
      role: 'target',
      defaults: () => askSshDefaults({ environment }),
    }),
  ).rejects.toThrow("'u%h' in User")
})
