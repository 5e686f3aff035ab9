import { expect, test } from 'vitest'
import type { PathTokens } from '../src/expand-path.ts'
import { parseSshAddress } from '../src/ssh-address.ts'
import { parseSshConfiguration, type SshConfiguration } from '../src/ssh-configuration.ts'
import { findRoute, routeKey, type SshRoute } from '../src/ssh-route.ts'

test.each([
  ['web1', { host: 'web1' }],
  ['deploy@web1', { user: 'deploy', host: 'web1' }],
  ['web1:2222', { host: 'web1', port: 2222 }],
  ['deploy@web1.example.org:22', { user: 'deploy', host: 'web1.example.org', port: 22 }],
  ['ssh://deploy@web1:22', { user: 'deploy', host: 'web1', port: 22 }],
  ['[2001:db8::1]:2222', { host: '2001:db8::1', port: 2222 }],
  ['root@[::1]', { user: 'root', host: '::1' }],
  ['fe80::1%eth0', { host: 'fe80::1%eth0' }],
])('parseSshAddress(%j)', (text, address) => {
  expect(parseSshAddress(text)).toEqual(address)
})

test.each([
  '',
  '-oProxyCommand=x',
  'a b',
  'a@',
  '@a',
  '-l@a',
  'a:',
  'a:0',
  'a:70000',
  'a:b',
  'a;b',
  '$(a)',
  '[::1]x',
  'a/b',
  'a,b',
])('parseSshAddress() refuses %j', (text) => {
  expect(() => parseSshAddress(text)).toThrow('is not a valid ssh address')
})

const tokens: PathTokens = {
  environment: { SSH_AUTH_SOCK: '/agent', OTHER: '/other' },
  home: '/home/me',
  localUser: 'me',
  localUserId: 1000,
  originalHost: 'web1',
}

const parse = (...lines: readonly string[]): SshConfiguration =>
  parseSshConfiguration(
    'web1',
    ['host web1', 'user deploy', 'hostname 10.0.0.1', 'port 22', ...lines].join('\n'),
    tokens,
  )

test.each<[readonly string[], Partial<SshConfiguration>]>([
  [[], { hostname: '10.0.0.1', port: 22, user: 'deploy', unknownHosts: 'refuse', agent: '/agent', proxyJump: [] }],
  [['hostkeyalias Alias'], { hostKeyNames: ['alias'] }],
  [['stricthostkeychecking true'], { unknownHosts: 'refuse' }],
  [['stricthostkeychecking ask'], { unknownHosts: 'refuse' }],
  [['stricthostkeychecking accept-new'], { unknownHosts: 'accept-new' }],
  [['stricthostkeychecking false'], { unknownHosts: 'accept-new' }],
  [
    ['identityfile ~/.ssh/my key', 'identityfile %d/%h_%r_%p', 'identityfile /a%%b${OTHER}', 'identityfile none'],
    { identityFiles: ['/home/me/.ssh/my key', '/home/me/10.0.0.1_deploy_22', '/a%b/other'] },
  ],
  [['userknownhostsfile /a b ~/kh /dev/null'], { userKnownHostsFiles: ['/a b', '/home/me/kh', '/dev/null'] }],
  [['userknownhostsfile none'], { userKnownHostsFiles: [] }],
  [['identityagent none'], { agent: undefined }],
  [['identityagent SSH_AUTH_SOCK'], { agent: '/agent' }],
  [['identityagent $OTHER'], { agent: '/other' }],
  [['identityagent $MISSING'], { agent: undefined }],
  [['identityagent ~/sock'], { agent: '/home/me/sock' }],
  [['proxyjump a:22,u@b'], { proxyJump: ['a:22', 'u@b'] }],
  [['connecttimeout none'], { connectTimeoutSeconds: 20 }],
  [['connecttimeout 3'], { connectTimeoutSeconds: 3 }],
  [['connecttimeout 99999999999'], { connectTimeoutSeconds: 2_000_000 }],
  [['connecttimeout -1'], { connectTimeoutSeconds: 20 }],
  [['serveraliveinterval 0', 'serveralivecountmax 3'], { keepalive: { seconds: 15, count: 3 } }],
  [['serveraliveinterval 5', 'serveralivecountmax 2'], { keepalive: { seconds: 5, count: 2 } }],
  [['addressfamily inet6'], { addressFamily: 6 }],
])('parseSshConfiguration() understands %j', (lines, expected) => {
  expect(parse(...lines)).toMatchObject(expected)
})

test('a port is part of the name among known hosts, and the bare name comes second', () => {
  expect(parseSshConfiguration('Web1', 'hostname Web1\nport 2222\nuser me', tokens).hostKeyNames).toEqual([
    '[web1]:2222',
    'web1',
  ])
})

test.each([
  ['proxycommand nc %h %p', 'ProxyCommand'],
  ['revokedhostkeys /etc/krl', 'RevokedHostKeys'],
])('parseSshConfiguration() refuses %j by name', (line, name) => {
  expect(() => parse(line)).toThrow(`${name} is not supported`)
})

const jumps: Readonly<Record<string, string>> = { target: 'a,b', b: 'never', a: 'first', loop: 'pool', pool: 'loop' }
const ask = async (address: string): Promise<SshConfiguration> => ({
  ...parse(...(jumps[address] === undefined ? [] : [`proxyjump ${jumps[address]}`])),
  hostname: address,
})

test('findRoute() goes through the hosts of ProxyJump, and the first of them follows its own ProxyJump', async () => {
  const route = await findRoute('target', ask)
  const hosts = (hop: SshRoute | undefined): readonly string[] =>
    hop ? [...hosts(hop.through), hop.host.hostname] : []
  expect(hosts(route)).toEqual(['first', 'a', 'b', 'target'])
  expect(routeKey(route)).not.toBe(routeKey({ ...route, through: undefined }))
})

test('findRoute() refuses to go in circles', async () => {
  await expect(findRoute('loop', ask)).rejects.toThrow('jump hosts')
})
