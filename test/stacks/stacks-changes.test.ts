import { eventually } from '@davit/testing/wait'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { killOn } from '../harness/process-table.ts'
import { openShop, recordsOf, restarted, risen, type Shop } from '../harness/shop.ts'

const SHOWN = `#!/usr/bin/env node
require('node:http').createServer((_, response) => response.end(JSON.stringify(process.env))).listen(process.env.PORT)
`

describe.skipIf(!HOSTS_POSSIBLE)('the example stacks, when something goes wrong or elsewhere', () => {
  let set: TestHosts
  let hosts: readonly Host[]
  let user: Coordinator
  let shop: Shop

  beforeAll(async () => {
    set = await bringUpHosts(3, { prefix: 'sc' })
    hosts = set.hosts
    user = await coordinator({ hosts: set })
    shop = await openShop(user, hosts)
    await shop.deploy('')
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  const hostOf = async (service: string) => {
    const [name] = (await shop.places())[service] ?? []
    return hosts.find((host) => host.name === name)!
  }

  test('a readonly property that changes is told, and refused if that is wanted', async () => {
    const told = "MU614: 'currency' of 'shop' is readonly, but has changed"
    const before = await recordsOf(hosts)
    const { status, stderr } = await shop.run('currency=USD', { options: '--no-replace' })
    expect([status, stderr]).toEqual([65, expect.stringContaining(`error: ${told}`)])
    expect(await recordsOf(hosts)).toEqual(before)
    const processes = await shop.processes()
    expect((await shop.deploy('currency=USD')).stderr).toContain(`warning: ${told}`)
    expect(restarted(processes, await shop.processes())).toContain('shop.price')
    expect(await shop.page()).toContain(' for USD ')
    await shop.deploy('')
  })

  const SUBCLASS = 'name: other\nbase: shop\nservices:\n  private:\n'
  test.each([
    ['a service that is overridden by another stack', 'MU508', `${SUBCLASS}    web: { type: counter }\n`],
    [
      'an endpoint of which there are several',
      'MU511',
      `${SUBCLASS}    pair: { type: pair }\n    door: { type: mu/gateway, port: 8090, targets: [pair] }\n`,
    ],
    [
      'a port that somebody has everywhere',
      'MU612',
      `${SUBCLASS}    door: { type: mu/gateway, port: 8081, targets: [counter] }\n`,
    ],
    ['a resource of another cloud', 'MU153', `${SUBCLASS}    queue: { type: aws/x/cf, resource: "AWS::SQS::Queue" }\n`],
  ])('%s is refused before a machine is touched', async (_, code, text) => {
    await user.write('stacks/other/Mu.yaml', text)
    await user.write(
      'stacks/pair/Mu.yaml',
      'name: pair\nservices: { public: { a: { type: counter, port: 8091 }, b: { type: counter, port: 8092 } } }\n',
    )
    const before = await recordsOf(hosts)
    const { status, stderr } = await shop.run('replicas=3', { stack: 'other' })
    expect([status, stderr]).toEqual([65, expect.stringContaining(`error: ${code}: `)])
    expect(await recordsOf(hosts)).toEqual(before)
  })

  test('a function that fails answers with 500, and its log says why', async () => {
    const { address } = await hostOf('shop.price')
    const { environment } = (await shop.processes()).find(({ service }) => service === 'shop.price')!
    const url = `http://${address}:${environment.get('PORT')}/?count=`
    expect((await fetch(`${url}many`)).status).toBe(500)
    expect(await (await fetch(`${url}2`)).json()).toEqual({ count: 2, price: 'EUR 6' })
    const { stdout } = await eventually('the log', async () => {
      const outcome = await shop.example.bash('davit-logs -p shop-test shop.price')
      return outcome.stdout.includes("Error: 'many' is no number of things") && outcome
    })
    expect(stdout).toContain('index.mjs')
  })

  test('a service that was killed is started by the next run', async () => {
    const before = await shop.processes()
    const { pid } = before.find(({ service }) => service === 'shop.api.server')!
    await killOn(await hostOf('shop.api.server'), pid)
    await shop.deploy('')
    const again = restarted(before, await shop.processes())
    expect(again).toContain('shop.api.server')
    expect(again).not.toContain('shop.counter.server')
    await risen(shop, await shop.count())
  })

  test('the counter moves with its volume, and goes on counting where it was', async () => {
    const from = await hostOf('shop.counter.server')
    const to = hosts.find((host) => host !== from)!
    const target = ['one', 'two', 'three'][hosts.indexOf(to)]
    const count = await risen(shop, 3)
    await shop.example.bash(`echo '    placement: { "shop/counter/**": [${target}] }' >>Muspace.yaml`)
    await shop.deploy('')
    expect((await shop.places())['shop.counter.server']).toEqual([to.name])
    expect(await shop.count()).toBeGreaterThanOrEqual(count)
    await risen(shop, await shop.count())
    expect(await to.sh('stat -c %a /var/lib/davit/volumes/shop.counter.disk')).toBe('750\n')
  })

  test('values arrive in a process, whatever they hold', async () => {
    const values = {
      REFERENCE: '${db.port} $${x} $HOME $(id) `id`',
      QUOTES: `'"'\\'' " \\n`,
      LINES: 'END\n\n  last\n',
      LONG: `${'x'.repeat(100_000)}ä`,
    }
    const service = { type: 'mu/container', build: 'server', port: 8095, env: values }
    await user.write(
      'stacks/values/Mu.yaml',
      JSON.stringify({ name: 'values', services: { public: { show: service } } }),
    )
    await user.write('stacks/values/server/bin/show', SHOWN)
    await shop.example.bash('chmod +x values/server/bin/show')
    succeeded(await shop.run('', { stack: 'values', options: '--profile values' }))
    const { address } = await hostOf('values.show')
    expect(await (await fetch(`http://${address}:8095/`)).json()).toMatchObject(values)
    await shop.example.bash('davit-env --undeploy -i machines.yaml --profile values')
  })

  test('a subclass of the shop runs beside it', async () => {
    const before = await shop.processes()
    await shop.example.type('Side by side')
    expect(restarted(before, await shop.processes()).filter((name) => name.startsWith('shop.'))).toEqual([])
    expect(await shop.page('boutique.gate', 9080)).toMatch(/^HI! \d+ FOR EUR \d+ \(sc\d\)\n$/)
    expect(await shop.page()).toMatch(/^welcome at Corner Shop/)
    const { stdout } = await shop.example.bash('davit-query --profile boutique-test')
    expect(stdout).not.toContain('-shop.')
  })

  test('undeploying ends all processes, and keeps the volumes', async () => {
    const [host, count] = [await hostOf('shop.counter.server'), await shop.count()]
    await shop.example.type('Undeploy')
    expect(await shop.processes()).toEqual([])
    expect(Number(await host.sh('cat /var/lib/davit/volumes/shop.counter.disk/count'))).toBeGreaterThanOrEqual(count)
    for (const one of hosts) expect(await one.sh('ls -d /tmp/tmp.* 2>/dev/null || :')).toBe('')
  })
})
