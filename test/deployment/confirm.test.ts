import { mkdtemp } from 'node:fs/promises'
import { removeTree } from '@davit/files'
import { eventually } from '@davit/testing/wait'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, namesIn, type TestHosts } from '../harness/hosts.ts'
import { infrastructureOf, type Models, writeModels } from '../harness/models.ts'
import { activeOn, recordOf } from '../harness/records.ts'
import { hasBegun, heldBack, takeJournal, wrapper, type WrapperOptions } from '../harness/services.ts'

/** A service that lets others connect to its host. */
const OPENS = 'if [ "$1" = activate ] && [ ! -e /run/sshd.pid ]; then /usr/sbin/sshd -E /var/log/sshd.log; fi'
/** One that does not, and leaves the connections that are there. */
const CLOSES = 'if [ "$1" = activate ]; then kill -KILL "$(cat /run/sshd.pid)"; rm -f /run/sshd.pid; fi'

describe.skipIf(!HOSTS_POSSIBLE)('a deployment on two hosts that has to be confirmed', () => {
  let set: TestHosts
  let hosts: readonly Host[]
  let [one, two]: Host[] = []
  let user: Coordinator
  let environment: Readonly<Record<string, string>>

  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'cf' })
    hosts = set.hosts
    ;[one, two] = [hosts[0]!, hosts[1]!]
    user = await coordinator({ hosts: set })
    // Packages on the hosts have to survive a restart.
    environment = { DAVIT_STORE_DIR: await mkdtemp('/var/tmp/davit-test-') }
    succeeded(await run(['davit-env', ...(await writeModels(user, models()))]))
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
    removeTree(environment['DAVIT_STORE_DIR']!)
  })

  const models = (gate: WrapperOptions = {}, web: WrapperOptions = {}): Models => ({
    services: { web: wrapper({ version: '1', ...web }), gate: wrapper({ version: '1', body: OPENS, ...gate }) },
    infrastructure: infrastructureOf(hosts, { containers: { wrapper: {} } }),
    distribution: { web: ['cf1'], gate: ['cf2'] },
  })
  const run = (argv: readonly string[]) => user.run(argv, { environment })
  const both = ['cf1 wrapper web', 'cf2 wrapper gate']
  /** Two new services, and with them the words that deploy them. */
  const upgrade = async (gate: WrapperOptions, web: WrapperOptions = {}, seconds = 6) => {
    const words = await writeModels(user, models({ version: '2', ...gate }, { version: '2', ...web }))
    return ['davit-env', ...words, '--confirm', String(seconds)]
  }
  const packages = async () => [(await recordOf('web', one!)).pkg, (await recordOf('gate', two!)).pkg]
  const trials = (host: Host) => namesIn(host, `/var/lib/davit/targets/${host.name}/trials`)
  const watchers = (host: Host) => host.sh('grep -ls "trials/default/[s]cript" /proc/[0-9]*/cmdline || :')
  const isBack = (host: Host) => !trials(host).includes('default')
  /** Runs what breaks a deployment, and expects that all is as before. */
  const expectAsBefore = async (act: () => Promise<void>) => {
    const [before, generations] = [await packages(), await user.generations()]
    await act()
    for (const host of hosts) await eventually(`'${host.name}' to go back`, () => isBack(host))
    expect(await activeOn(hosts)).toEqual(both)
    expect(await packages()).toEqual(before)
    expect(await user.generations()).toEqual(generations)
  }

  test('is confirmed over new connections, ends with 0, and leaves nothing behind', async () => {
    const connections = async (host: Host) => Number(await host.sh('grep -c "Accepted publickey" /var/log/sshd.log'))
    const earlier = await connections(two!)
    const { stderr } = succeeded(await run(await upgrade({ body: OPENS }, {}, 60)))
    expect(stderr).toContain("'cf1', 'cf2' will go back by themselves unless confirmed within 60 s")
    expect(stderr).toContain("confirmed 'cf1', 'cf2' over new connections")
    expect((await connections(two!)) - earlier).toBe(2)
    for (const host of hosts) expect([trials(host), await watchers(host)]).toEqual([[], ''])
    expect(await user.generations()).toEqual([1, 2])
    const again = succeeded(await run(await upgrade({ body: OPENS }, {}, 60)))
    expect(again.stderr).toContain('nothing to do')
  })

  test('goes back everywhere if one host can no longer be reached, and ends with 1', async () => {
    await takeJournal(hosts)
    await expectAsBefore(async () => {
      const { status, stderr } = await run(await upgrade({ version: '3', body: CLOSES }, { version: '3' }))
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(/cannot confirm 'cf2' over a new connection: .*refused/),
      ])
      expect(stderr).toContain('the deployment was not confirmed: everything is as it was before')
      expect(stderr).toMatch(/^\[cf1\] is back to what was active before$/m)
    })
    const journal = await takeJournal(hosts)
    expect(journal.filter((line) => line.includes('gate'))).toEqual([
      'deactivate gate 2 wrapper',
      'activate gate 3 wrapper',
      'deactivate gate 3 wrapper',
      'activate gate 2 wrapper',
    ])
    for (const host of hosts) expect([trials(host), await watchers(host)]).toEqual([['.log.default'], ''])
  })

  test('goes back on a host whose network is cut in the middle', async () => {
    await expectAsBefore(async () => {
      const words = await upgrade({ version: '4', body: heldBack('cut') })
      const tool = user.start(words, {
        environment: {
          ...environment,
          DAVIT_ANSWER_TIMEOUT: '3',
          SSH_OPTS: '-o ConnectTimeout=2 -o ServerAliveInterval=1 -o ServerAliveCountMax=2',
        },
      })
      await hasBegun(two!, 'cut')
      await two!.befall('cut')
      const { status, stderr } = await tool.outcome
      expect([status, stderr]).toEqual([
        expect.toSatisfy((one) => one !== 0),
        expect.stringContaining('which it does by itself'),
      ])
    })
    await two!.befall('join')
  })

  test('goes back without its coordinator, and the next run waits for that', async () => {
    await expectAsBefore(async () => {
      const tool = user.start(await upgrade({ version: '5', body: heldBack('killed') }), { environment })
      await hasBegun(two!, 'killed')
      process.kill(-tool.process.pid!, 'SIGKILL')
      await tool.outcome
      const next = user.start(await upgrade({ version: '2', body: OPENS }), { environment })
      await eventually('the waiting', () => expect(next.stderr()).toMatch(/waiting until this target has gone back/))
      await two!.sh('touch /tmp/killed.go')
      succeeded(await next.outcome)
    })
  })

  test('goes back after a restart of the host, as soon as somebody looks', async () => {
    // The last run deploys the same, and then has nothing to do.
    succeeded(await run(await upgrade({ body: OPENS }, {}, 60)))
    await expectAsBefore(async () => {
      const words = await upgrade({ version: '6', body: `${OPENS}\n${heldBack('off')}` }, {}, 600)
      const tool = user.start(words, { environment })
      await hasBegun(two!, 'off')
      expect(tool.stderr()).toContain('it goes back only once davit connects to it again')
      process.kill(-tool.process.pid!, 'SIGKILL')
      await tool.outcome
      await two!.befall('reboot')
      expect(trials(two!)).toContain('default')
      const plan = await run([...(await upgrade({ body: OPENS })), '--dry-run'])
      expect(plan.stderr).toContain('an earlier deployment of this target is not confirmed')
      succeeded(await run(await upgrade({ body: OPENS })))
    })
  })

  test('is refused together with options that contradict it, and with values that are too small', async () => {
    const words = await upgrade({ version: '7' })
    for (const option of ['--no-lock', '--no-rollback', '--delete-state']) {
      const { status, stderr } = await run([...words, option])
      expect([status, stderr]).toEqual([64, expect.stringContaining(`'--confirm' and '${option}' cannot be combined`)])
    }
    expect((await run([...words.slice(0, -1), '4'])).status).toBe(64)
  })
})
