import { existsSync } from 'node:fs'
import { sampleOf } from '@davit/testing/effort'
import { eventually } from '@davit/testing/wait'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { coordinator, type Coordinator, type Started } from '../harness/coordinator.ts'
import { copyExample, type Example } from '../harness/examples.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { leavingAlone } from '../harness/left-alone.ts'

const hasRedis = existsSync('/usr/bin/redis-server')
if (!hasRedis) console.warn('SKIPPED: the example counter, without redis-server')

describe.skipIf(!HOSTS_POSSIBLE || !hasRedis)('the example counter', () => {
  let set: TestHosts
  let user: Coordinator
  let counter: Example
  let client: Started | undefined

  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'co' })
    user = await coordinator({ hosts: set })
    counter = await copyExample(user, 'counter', set.hosts)
  })
  afterAll(async () => {
    client?.process.kill('SIGKILL')
    await set?.down()
    await user?.remove()
  })

  /** Where the client has found redis, with the numbers that were confirmed until then; fails if any is missing. */
  const found = () =>
    (client?.stderr() ?? '')
      .trim()
      .split('\n')
      .map((line) => {
        const [, address = line, confirmed] = /^(.*): (\d+) numbers confirmed, 0 missing$/.exec(line) ?? []
        return { host: set.hosts.find((host) => host.address === address)?.name ?? line, confirmed: Number(confirmed) }
      })
  const foundAt = (host: Host, times: number) =>
    eventually(`the client to find redis on ${host.name}`, () => {
      if (client?.process.exitCode !== null) throw new Error(`the client has ended:\n${client?.stderr()}`)
      return found().filter(({ host: name }) => name === host.name).length === times
    })

  test('does not move to a machine alone', async () => {
    const [one, two] = set.hosts as [Host, Host]
    const deploy = 'davit-env -s services.ts -i infrastructure.ts -d distribution.ts'
    await counter.type('Deploy')
    await counter.replace('distribution.ts', 'test1', 'test2')
    for (const on of sampleOf(['test1', 'test2'], 1)) {
      // oxlint-disable-next-line no-await-in-loop
      const { status, stderr } = await leavingAlone([one, two], user, () =>
        user.bash(`cd counter && ${deploy} --on ${on}`),
      )
      expect([status, stderr]).toEqual([1, expect.stringContaining('[part-refused]')])
    }
    await counter.replace('distribution.ts', 'test2', 'test1')
  })

  test('has every confirmed number after it has moved and come back, while a client writes', async () => {
    const [one, two] = set.hosts as [Host, Host]
    await counter.type('Deploy')
    client = counter.start('Write')
    await foundAt(one, 1)
    await counter.type('Move')
    await foundAt(two, 1)
    await counter.type('Go back')
    await foundAt(one, 2)
    client.process.kill('SIGINT')
    expect((await client.outcome).status).toBe(0)
    const counts = found().map(({ confirmed }) => confirmed)
    expect(found().map(({ host }) => host)).toEqual(['co1', 'co2', 'co1', 'co1'])
    expect(counts).toEqual(counts.toSorted((left, right) => left - right))
    expect(counts[0]).toBe(0)
    expect(new Set(counts).size).toBe(4)
  })

  test('leaves nothing after the undeployment', async () => {
    await counter.type('Undeploy')
    for (const host of set.hosts) {
      expect(await host.sh('ls -d /var/lib/counter || :; redis-cli ping 2>&1 || :')).toMatch(
        /^Could not connect.*refused\n$/,
      )
    }
  })
})
