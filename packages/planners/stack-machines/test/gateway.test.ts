import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { freePort } from '@davit/testing/free-port'
import { scratchDirectory } from '@davit/testing/scratch'
import { until } from '@davit/testing/wait'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Address } from '../src/addresses.ts'
import { nginxConfiguration } from '../src/emitters/nginx.ts'
import {
  built,
  codesOf,
  emissionOf,
  run,
  servicesIn,
  stackOf,
  type Targets,
  targetsNamed,
  targetWith,
} from './testing.ts'

const ONE = targetsNamed(['one'])
const WEB = 'type: mu/container, command: [x]'

const hasNginx = existsSync('/usr/sbin/nginx')
if (!hasNginx) console.warn('SKIPPED: tests of gateways, which need nginx')

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** A service that answers with its name, and the path that it was asked for. */
async function service(name: string): Promise<number> {
  const server = createServer(({ url, headers }, response) => response.end(`${name} ${url} ${headers.host}`))
  servers.push(server.listen(0, '127.0.0.1'))
  await once(server, 'listening')
  return (server.address() as { readonly port: number }).port
}

interface Gateway {
  readonly child: ChildProcess
  readonly directory: string
  ask(path: string): Promise<string>
  stop(): Promise<void>
}

async function startGateway(texts: Parameters<typeof emissionOf>[0], port: number, targets: Targets): Promise<Gateway> {
  const build = servicesIn(emissionOf(texts, { targets }))['shop.gate']!.pkg.build!
  const directory = scratchDirectory()
  const child = spawn(join(built(build, undefined), 'bin/start'), {
    detached: true,
    env: { PATH: '/usr/bin:/bin', TMPDIR: directory },
  })
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    process.kill(-(child.pid ?? 0), 'SIGTERM')
    await once(child, 'exit')
  }
  onTestFinished(stop)
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual' })
    return response.ok ? response.text() : String(response.status)
  }
  await until(() => child.exitCode !== null || ask('/').then(() => true))
  if (child.exitCode !== null) throw new Error(output)
  return { child, directory, ask, stop }
}

const HERE = new Map([['one', targetWith({ hostname: '127.0.0.1' }, ['process'])]])

describe.skipIf(!hasNginx)('a gateway', () => {
  test('passes requests on by the longest prefix, and to its targets otherwise', async () => {
    const names = ['page', 'api', 'deep', 'odd']
    const [page, api, deep, odd] = await Promise.all(names.map(service))
    const port = await freePort()
    const texts = stackOf({
      ...Object.fromEntries(
        Object.entries({ page, api, deep, odd }).map(([name, at]) => [name, `${WEB}, port: ${at}`]),
      ),
      gate: `type: mu/gateway, port: ${port}, targets: [page], routes: { /api: api, /api/v2/: deep, "/a \\\\\\"{$x;é": odd }`,
    })
    const gate = await startGateway(texts, port, HERE)
    const host = `127.0.0.1:${port}`
    for (const [path, name] of [
      ['/', 'page'],
      ['/apiary', 'page'],
      ['/api', 'api'],
      ['/api/x?y=%2F&z', 'api'],
      ['/api/v2', 'deep'],
      ['/api/v2/', 'deep'],
      ['/api/v2/a%20b', 'deep'],
      ['/api/v22', 'api'],
      ['/a%20%5C%22%7B$x;%C3%A9', 'odd'],
    ] as const) {
      expect(await gate.ask(path)).toBe(`${name} ${path} ${host}`)
    }
    expect(readdirSync(gate.directory)).toHaveLength(1)
    await gate.stop()
    expect(readdirSync(gate.directory)).toEqual([])
  })

  test('asks all its targets in turn, and none that is gone', async () => {
    const [one, two, gone] = [await service('one'), await service('two'), await freePort()]
    const port = await freePort()
    const texts = stackOf({
      a: `${WEB}, port: ${one}`,
      b: `${WEB}, port: ${two}`,
      c: `${WEB}, port: ${gone}`,
      gate: `type: mu/gateway, port: ${port}, targets: [a, b, c]`,
    })
    const gate = await startGateway(texts, port, HERE)
    const answers: string[] = []
    for (let count = 0; count < 8; count += 1) answers.push((await gate.ask('/')).split(' ')[0]!)
    expect(answers.filter((name) => name === 'one').length).toBe(4)
    expect(answers.slice(1).every((name, index) => name !== answers[index])).toBe(true)
  })

  test('without targets, what no route takes is not found', async () => {
    const [api, port] = [await service('api'), await freePort()]
    const texts = stackOf({ a: `${WEB}, port: ${api}`, gate: `type: mu/gateway, port: ${port}, routes: { /api: a }` })
    const gate = await startGateway(texts, port, HERE)
    expect([await gate.ask('/'), await gate.ask('/api/')]).toEqual(['404', `api /api/ 127.0.0.1:${port}`])
    // Whoever ends only the script ends nginx, too.
    gate.child.kill('SIGTERM')
    await once(gate.child, 'exit')
    await expect(gate.ask('/api/')).rejects.toThrow('fetch failed')
    expect(readdirSync(gate.directory)).toEqual([])
  })

  test('does not start with a configuration that nginx refuses, and leaves nothing', () => {
    const targets = new Map([['one', targetWith({ hostname: 'no-such-host.invalid' }, ['process'])]])
    const texts = stackOf({ a: `${WEB}, port: 81`, gate: 'type: mu/gateway, port: 82, targets: [a]' })
    const { build } = servicesIn(emissionOf(texts, { targets }))['shop.gate']!.pkg
    const directory = scratchDirectory()
    const { status, stderr } = run([join(built(build!, undefined), 'bin/start')], { TMPDIR: directory })
    expect([status, stderr]).toEqual([1, expect.stringContaining('host not found in upstream')])
    expect(readdirSync(directory)).toEqual([])
  })
})

test('a gateway knows all replicas of whom it asks, and waits for them', () => {
  const texts = stackOf({
    web: `${WEB}, port: 8000`,
    scale: 'type: mu/autoscaler, target: web, replicas: 2',
    gate: 'type: mu/gateway, targets: [scale]',
  })
  const services = servicesIn(emissionOf(texts))
  const gate = services['shop.gate']
  expect(gate).toMatchObject({ type: 'process', port: 80, dependsOn: {}, activatesAfter: ['shop.web'] })
  const text = readFileSync(join(built(gate!.pkg.build!, undefined), 'nginx.conf'), 'utf8')
  for (const target of services['shop.web']!.targets) expect(text).toContain(`server ${target}.example:8000;`)
  expect(readFileSync(join(built(gate!.pkg.build!, undefined), 'etc/dysnomia/process/start'), 'utf8')).toBe(
    'readyPort=80\n',
  )
})

test('a gateway says what it needs on a machine without nginx', () => {
  const texts = stackOf({ a: `${WEB}, port: 81`, gate: 'type: mu/gateway, targets: [a]' })
  const { build } = servicesIn(emissionOf(texts, { targets: ONE }))['shop.gate']!.pkg
  const { status, stderr } = run([join(built(build!, undefined), 'bin/start')], { nginx: '/nonexistent' })
  expect([status, stderr]).toEqual([
    1,
    expect.stringContaining("needs nginx: install it on this machine, or set the property 'nginx'"),
  ])
})

test('a configuration has one upstream for each route', () => {
  const place = (url: string): Address => ({ host: '', port: 0, url })
  const text = nginxConfiguration([
    { prefix: '', protocol: 'http', places: [place('http://a:1'), place('http://[fd00::1]:2')] },
    { prefix: '/x', protocol: 'https', places: [place('https://b:3')] },
  ])
  expect(text).toContain('upstream route0 {\nzone route0 64k;\nserver a:1;\nserver [fd00::1]:2;\n}')
  expect(text).toContain('location / { proxy_pass http://route0; }\nlocation = "/x" { proxy_pass https://route1; }')
  expect(text).not.toContain('return 404')
})

const TWO = { a: `${WEB}, port: 81`, b: `${WEB}, port: 83, protocol: https`, c: `${WEB}, port: 84, protocol: pg` }

test.each([
  ['no targets', '', [['MU610', 'shop/gate']]],
  ['empty targets', 'targets: []', [['MU610', 'shop/gate']]],
  ['another protocol', 'targets: [c]', [['MU610', 'shop/gate']]],
  ['two protocols', 'targets: [a, b]', [['MU610', 'shop/gate']]],
  ['a route that is no path', 'routes: { api: a }', [['MU610', 'shop/gate']]],
  ['a route to an empty path', 'routes: { "": a }', [['MU610', 'shop/gate']]],
  ['a route with empty parts', 'routes: { /a//b: a }', [['MU610', 'shop/gate']]],
  ['a route with dots', 'routes: { /a/../b: a }', [['MU610', 'shop/gate']]],
  ['a route with a line break', 'routes: { "/a\\nb": a }', [['MU610', 'shop/gate']]],
  ['a route twice', 'routes: { /a: a, /a/: b }', [['MU502', '/a/']]],
])('%s is refused', (_, property, expected) => {
  const texts = stackOf({ ...TWO, gate: `type: mu/gateway, ${property === '' ? 'port: 80' : property}` })
  const emission = emissionOf(texts, { targets: ONE })
  expect([emission.kind, codesOf(emission)]).toEqual(['refused', expected])
})
