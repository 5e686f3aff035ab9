import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import type { ServiceProcess } from '../harness/process-table.ts'
import { openShop, restarted, risen, type Shop } from '../harness/shop.ts'

const UNCHANGED = 'nothing to do: services, profiles and generation are as the manifest says\n'

/** Those of every process that davit or a shell of the machine starts. */
const COMMON =
  /^(?:DAVIT_|DYSNOMIA_)|^(?:HOME|LANG|LC_ALL|LOGNAME|PATH|PWD|SHELL|SHLVL|TMPDIR|USER|_|component|container|module)$/

/** What the system tells of a shell that stays, as that of the gateway does, is how it began. */
const AT_THE_BEGINNING: Readonly<Record<string, string>> = { OLDPWD: 'shop.gate' }

describe.skipIf(!HOSTS_POSSIBLE)('the example stacks on three hosts, and a fourth', () => {
  let set: TestHosts
  let three: readonly Host[]
  let user: Coordinator
  let shop: Shop

  beforeAll(async () => {
    set = await bringUpHosts(4, { prefix: 'st' })
    three = set.hosts.slice(0, 3)
    user = await coordinator({ hosts: set })
    shop = await openShop(user, set.hosts)
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  const greeters = (pages: readonly string[]) => pages.map((page) => /says (\S+)$/m.exec(page)?.[1])
  const pages = async (count: number) => {
    const all: string[] = []
    for (let number = 0; number < count; number += 1) all.push(await shop.page())
    return all
  }
  const urlOf = (processes: readonly ServiceProcess[], service: string, port: number) => {
    const host = processes.find((one) => one.service === service)?.host
    return `http://${three.find(({ name }) => name === host)?.address}:${port}`
  }

  test('serves a page from both replicas in turn, with the answer of a function and a number that rises', async () => {
    const { stdout } = await shop.example.type('In steps')
    for (const name of ['api.server', 'counter.disk', 'gate', 'price', 'tick'])
      expect(stdout).toContain(`-shop.${name}\n`)
    const web = (await shop.places())['shop.web.server']!
    expect(web).toHaveLength(2)
    const [first, ...others] = await pages(6)
    expect(first).toMatch(/^hello at Corner Shop: (\d+) things for EUR \d+, says st\d\n$/)
    expect(new Set(greeters([first!, others[0]!]))).toEqual(new Set(web))
    expect(greeters(others.slice(1))).toEqual(greeters([first!, ...others.slice(0, 3)]))
    const count = await risen(shop, await shop.count())
    const [, things, price] = /(\d+) things for EUR (\d+)/.exec(await shop.page()) ?? []
    expect(Number(things)).toBeGreaterThanOrEqual(count)
    expect(Number(price)).toBe(Number(things) * 3)
  })

  test('processes have their variables, and no others', async () => {
    const processes = await shop.processes()
    const at = (service: string, port: number) => urlOf(processes, service, port)
    const link = (name: string, url: string) => {
      const { hostname, port } = new URL(url)
      return { [name]: url, [`${name}_ALL`]: url, [`${name}_HOST`]: hostname, [`${name}_PORT`]: port }
    }
    const price = processes.find(({ service }) => service === 'shop.price')!.environment.get('PORT')!
    expect(Number(price)).toBeGreaterThanOrEqual(30_000)
    const own = Object.fromEntries(
      processes.map(({ service, environment }) => [
        service,
        Object.fromEntries(
          [...environment].filter(([name]) => !COMMON.test(name) && AT_THE_BEGINNING[name] !== service),
        ),
      ]),
    )
    expect(own).toEqual({
      'shop.api.server': {
        HOUSE: 'Corner Shop',
        PORT: '8082',
        ...link('STORE', at('shop.counter.server', 8083)),
        ...link('PRICE', at('shop.price', Number(price))),
      },
      'shop.counter.server': { DATA: '/var/lib/davit/volumes/shop.counter.disk', PORT: '8083' },
      'shop.gate': {},
      'shop.price': { CURRENCY: 'EUR', PORT: price },
      'shop.tick': {},
      'shop.web.server': {
        HOUSE: 'Corner Shop',
        GREETING: 'hello',
        PORT: '8081',
        ...link('API', at('shop.api.server', 8082)),
      },
    })
  })

  test('again, in one command, nothing happens', async () => {
    const before = await shop.processes()
    expect((await shop.example.type('Deploy')).stderr).toBe(UNCHANGED)
    expect((await shop.deploy('greeting=hello')).stderr).toBe(UNCHANGED)
    expect(restarted(before, await shop.processes())).toEqual([])
  })

  test('another argument restarts who uses it and who waits for that, and no one else', async () => {
    const before = await shop.processes()
    await shop.deploy('greeting=bye')
    expect(restarted(before, await shop.processes())).toEqual(['shop.gate', 'shop.web.server'])
    for (const page of await pages(2)) expect(page).toMatch(/^bye at/)
  })

  test('the gateway follows when replicas come and go, and the others run on', async () => {
    const before = await shop.processes()
    const places = await shop.places()
    await shop.example.type('Change')
    const between = await shop.processes()
    expect(restarted(before, between)).toEqual(['shop.gate', 'shop.web.server'])
    expect(between.filter(({ service }) => service === 'shop.web.server')).toHaveLength(3)
    // Those that ran before run on.
    expect(restarted(between, before)).toEqual(['shop.gate'])
    expect(new Set(greeters(await pages(3)))).toEqual(new Set(['st1', 'st2', 'st3']))
    await shop.deploy('greeting=bye replicas=1')
    const after = await shop.processes()
    expect(restarted(between, after)).toEqual(['shop.gate'])
    expect(new Set(greeters(await pages(3)))).toHaveLength(1)
    expect(await shop.places()).toEqual({ ...places, 'shop.web.server': [expect.any(String)] })
  })

  test('a host that comes moves nothing, and one that is lost only what was there', async () => {
    await shop.deploy('greeting=bye')
    const [before, places] = [await shop.processes(), await shop.places()]
    const four = { properties: { hostname: set.hosts[3]!.address }, containers: { process: {}, fileset: {} } }
    const machines = await shop.example.bash('cat machines.yaml')
    await user.write('stacks/machines.yaml', `${machines.stdout}four: ${JSON.stringify(four)}\n`)
    await shop.deploy('greeting=bye')
    expect(restarted(before, await shop.processes())).toEqual([])
    const gone = places['shop.gate']![0]!
    const target = ['one', 'two', 'three'][Number(gone.slice(-1)) - 1]!
    const host = set.hosts.find(({ name }) => name === gone)!
    await host.befall('reboot')
    await host.befall('cut')
    await shop.example.bash(`sed -i '/^${target}:/,+2d' machines.yaml`)
    await shop.deploy('greeting=bye')
    const now = await shop.places()
    for (const [service, hosts] of Object.entries(places)) {
      expect([service, now[service]?.filter((name) => hosts.includes(name))]).toEqual([
        service,
        hosts.filter((name) => name !== gone),
      ])
      expect([service, now[service]?.length]).toEqual([service, hosts.length])
    }
    expect(await shop.page()).toMatch(/^bye at Corner Shop: \d+ things/)
    await risen(shop, await shop.count())
  })
})
