import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type BuildModel, built, codesOf, emissionOf, run, servicesIn, stackOf, targetsNamed } from './testing.ts'

const ONE = targetsNamed(['one'])
const FUNCTION = 'type: mu/lambda, code: code'

const within = (range: string) => ({
  'Muspace.yaml': `clusters: { here: { default: true, settings: { ports: "${range}" } } }\n`,
})

function buildOf(texts: Parameters<typeof emissionOf>[0], service: string): BuildModel {
  return servicesIn(emissionOf(texts, { targets: ONE }))[service]!.pkg.build!
}

test('a function has a port that depends on its name alone, and that is its endpoint', () => {
  const texts = {
    ...stackOf({ f: FUNCTION, a: 'type: mu/container, command: [env], links: { fn: f }' }),
    ...within('30000-31999'),
  }
  const services = servicesIn(emissionOf(texts, { targets: ONE }))
  const port = services['shop.f']?.['port'] as number
  expect(port).toBeGreaterThanOrEqual(30_000)
  expect(port).toBeLessThanOrEqual(31_999)
  expect(services['shop.f']).toMatchObject({ type: 'process', ports: [port], protocol: 'http', stack: 'mu/lambda' })
  expect(services['shop.a']?.dependsOn).toEqual({ fn: 'shop.f' })
  const { stdout } = run([join(built(services['shop.a']!.pkg.build!, undefined), 'bin/start')])
  expect(stdout).toContain(`FN=http://one.example:${port}\n`)
  const alone = servicesIn(emissionOf(stackOf({ f: 'type: mu/func, code: code', z: FUNCTION }), { targets: ONE }))
  expect(alone['shop.f']?.['port']).toBe(port)
})

test('functions get the next port that nobody has', () => {
  const all = { a: FUNCTION, b: FUNCTION, c: `type: mu/container, command: [x], port: 7001`, d: `${FUNCTION}, port: 9` }
  const services = servicesIn(emissionOf({ ...stackOf(all), ...within('7000-7002') }, { targets: ONE }))
  expect(new Set([services['shop.a']?.['port'], services['shop.b']?.['port']])).toEqual(new Set([7000, 7002]))
  expect(services['shop.d']?.['port']).toBe(9)
  const full = emissionOf({ ...stackOf({ a: FUNCTION, b: FUNCTION }), ...within('7000 - 7000') }, { targets: ONE })
  expect(codesOf(full)).toEqual([['MU612', 7000, 'shop/b', 'shop/a']])
})

test('of functions that would have the same port, the first by name has it, and the other the next one', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'] as const
  const services = (texts: Parameters<typeof emissionOf>[0]) =>
    servicesIn(emissionOf({ ...texts, ...within('7000-7005') }, { targets: ONE }))
  const all = services(stackOf(Object.fromEntries(names.map((name) => [name, FUNCTION]))))
  expect(new Set(Object.values(all).map(({ port }) => port)).size).toBe(6)
  const preferred = names.map((name) => services(stackOf({ [name]: FUNCTION }))[`shop.${name}`]?.['port'])
  const second = preferred.findIndex((port, index) => preferred.indexOf(port) < index)
  const [first, port] = [names[preferred.indexOf(preferred[second])]!, preferred[second]]
  const text = `name: shop\nservices:\n  private: { ${names[second]}: { ${FUNCTION} } }\n  public: { ${first}: { ${FUNCTION} } }\n`
  const both = services({ 'Mu.yaml': text })
  expect(both[`shop.${first}`]?.['port']).toBe(port)
  expect(both[`shop.${names[second]}`]?.['port']).toBe(port === 7005 ? 7000 : (port as number) + 1)
  expect(new Set(preferred).size).toBeGreaterThan(1)
})

test.each(['', '0-1', '2-1', '1-65536', '8000', 'a-b'])('%j is no range of ports', (range) => {
  const emission = emissionOf({ ...stackOf({ a: FUNCTION }), ...within(range) }, { targets: ONE })
  expect(codesOf(emission)).toEqual([
    ['MU152', `the setting 'ports' must be a range of ports, as 30000-31999, but is '${range}'`],
  ])
})

/** A function that Node would run, but which prints what it gets. */
function started(build: BuildModel, variables: Readonly<Record<string, string>>) {
  const program = '#!/bin/sh\nprintf "%s|" "$@"\n/usr/bin/env\n'
  const start = join(built(build, { fake: program }), 'bin/start')
  return run([start], { node: join(start, '../../../package/bin/fake'), ...variables })
}

test('a function is served by Node.js, with its variables', () => {
  const env = 'env: { WORD: "a\\nb", node: mine }, links: { db: db }'
  const texts = stackOf({
    f: `${FUNCTION}, port: 8, handler: "lib/fn.go", ${env}`,
    db: 'type: mu/container, command: [x], port: 5',
  })
  const build = buildOf(texts, 'shop.f')
  expect(build.inputs?.['package']).toEqual({ source: '/w/code', name: 'package' })
  const { stdout } = started(build, {})
  expect(stdout).toMatch(/lambda\/main\.mjs\|8\|node\|lib\/fn\.go\|/)
  for (const line of ['PORT=8', 'WORD=a', 'node=mine', 'DB=http://one.example:5']) expect(stdout).toContain(`${line}\n`)
  const out = built(build, { fake: '#!/bin/sh\n' })
  expect(readFileSync(join(out, 'etc/dysnomia/process/start'), 'utf8')).toBe('readyPort=8\n')
})

test('a function and an event say what they need on a machine without Node.js', () => {
  const texts = stackOf({ f: FUNCTION, e: 'type: mu/event, target: f, schedule: "@every 5s"' })
  for (const service of ['shop.f', 'shop.e']) {
    const { status, stderr } = started(buildOf(texts, service), { node: '/nonexistent/node' })
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining("needs Node.js 18 or later: install it on this machine, or set the property 'node'"),
    ])
  }
})

test('an event has its settings in a file, with the places of all whom it tells', () => {
  const texts = stackOf({
    web: 'type: mu/container, command: [x], port: 80',
    scale: 'type: mu/autoscaler, target: web, min: 2',
    f: `${FUNCTION}, port: 8`,
    e: `type: mu/event, schedule: "0 4 * * SUN", target: f, targets: [scale], port: 9, payload: { text: "'\\nEND\\n$x", none: null, to: [1, true] }`,
  })
  const services = servicesIn(emissionOf(texts))
  const event = services['shop.e']
  expect(event).toMatchObject({ type: 'process', port: 9, dependsOn: {}, activatesAfter: ['shop.f', 'shop.web'] })
  const out = built(event!.pkg.build!, undefined)
  expect(readFileSync(join(out, 'etc/dysnomia/process/start'), 'utf8')).toBe('readyPort=9\n')
  const settings: unknown = JSON.parse(readFileSync(join(out, 'settings.json'), 'utf8'))
  const at = (service: string, port: number) =>
    services[service]?.targets.map((name) => `http://${name}.example:${port}`)
  expect(settings).toEqual({
    event: 'shop/e',
    schedule: '0 4 * * SUN',
    port: 9,
    targets: [at('shop.f', 8), at('shop.web', 80)],
    payload: { text: "'\nEND\n$x", none: null, to: [1, true] },
  })
})

test('the event that a package starts tells what it is to tell', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { readonly port: number }
  const texts = stackOf({
    w: `type: mu/container, command: [x], port: ${port}`,
    e: 'type: mu/event, target: w, schedule: "@every 1s", payload: it is time',
  })
  const targets = new Map([['one', { ...ONE.get('one')!, properties: new Map([['hostname', '127.0.0.1']]) }]])
  const build = servicesIn(emissionOf(texts, { targets }))['shop.e']!.pkg.build!
  const child = spawn(join(built(build, undefined), 'bin/start'), { env: { PATH: process.env['PATH'] } })
  const [request] = (await once(server, 'request')) as [AsyncIterable<Buffer>]
  let body = ''
  for await (const chunk of request) body += chunk.toString()
  child.kill()
  server.closeAllConnections()
  server.close()
  expect(JSON.parse(body)).toEqual({ event: 'shop/e', time: expect.any(String), payload: 'it is time' })
})

const WEB = 'type: mu/container, command: [x], port: 80'

test.each([
  ['a function without code', stackOf({ f: 'type: mu/lambda' }), [['MU610', 'shop/f']]],
  ['an unknown runtime', stackOf({ f: `${FUNCTION}, runtime: python` }), [['MU610', 'shop/f']]],
  ['a handler that is no export', stackOf({ f: `${FUNCTION}, handler: index` }), [['MU610', 'shop/f']]],
  ['a variable of a function that is none', stackOf({ f: `${FUNCTION}, env: { "a-b": 1 }` }), [['MU514', 'a-b']]],
  ['a NUL character for a function', stackOf({ f: `${FUNCTION}, env: { X: "\\0" }` }), [['MU610', 'shop/f']]],
  ['an event that never comes', stackOf({ w: WEB, e: 'type: mu/event, target: w' }), [['MU610', 'shop/e']]],
  ['an event that tells nobody', stackOf({ e: 'type: mu/event, port: 1' }), [['MU610', 'shop/e']]],
  [
    'a schedule that is none',
    stackOf({ w: WEB, e: 'type: mu/event, target: w, schedule: "* * 31 2 *"' }),
    [['MU610', 'shop/e']],
  ],
  [
    'an event for a service without port',
    stackOf({ w: 'type: mu/container, command: [x]', e: 'type: mu/event, target: w, port: 1' }),
    [['MU510', 'w', 'mu/container']],
  ],
])('%s is refused', (_, texts, expected) => {
  const emission = emissionOf(texts, { targets: ONE })
  expect([emission.kind, codesOf(emission)]).toEqual(['refused', expected])
})
