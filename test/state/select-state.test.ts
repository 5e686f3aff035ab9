import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { deploy, type Models } from '../harness/models.ts'
import { takeJournal, wrapper } from '../harness/services.ts'
import { KEEP_DIRECTORY, targetsOn } from '../harness/three-targets.ts'
import { contentsOf } from '../harness/trace.ts'

const ACTIVITIES = ['activate', 'deactivate', 'snapshot', 'restore', 'collect-garbage']

describe.skipIf(!HOSTS_POSSIBLE)('the state of a part, while another host is down', () => {
  let set: TestHosts
  let user: Coordinator
  let [one, two, three]: Host[] = []

  beforeAll(async () => {
    set = await bringUpHosts(3, { prefix: 'ss' })
    ;[one, two, three] = set.hosts
    user = await coordinator({ hosts: set })
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  const models = (red: string): Models => {
    const stateful = () => wrapper({ body: KEEP_DIRECTORY }, { deployState: true })
    return {
      services: { red: stateful(), green: stateful(), blue: stateful() },
      infrastructure: targetsOn(set),
      distribution: { red: [red], green: ['one'], blue: ['two'] },
    }
  }
  const write = (host: Host, service: string, row: string) => host.sh(`echo ${row} >/var/lib/${service}/rows`)
  const row = (host: Host, service: string) => host.sh(`cat /var/lib/${service}/rows 2>/dev/null || :`)
  const journal = async () =>
    (await takeJournal(set.hosts, ACTIVITIES)).map((line) => line.split(' ').slice(0, 2).join(' '))
  const run = async (...argv: readonly string[]) => succeeded(await user.run(argv))
  const contents = () => contentsOf(two!, '/var/lib/davit', '/var/lib/blue', user.storeDirectory)
  let before: string

  /** All have state, and a snapshot of it on their target; the second host is down. */
  beforeEach(async () => {
    succeeded(await deploy(user, models('one')))
    await Promise.all([write(one!, 'red', 'old'), write(one!, 'green', 'old'), write(two!, 'blue', 'old')])
    await run('davit-snapshot', '--deployed')
    await user.write('old.xml', succeeded(await user.run(['davit-generations', '--current'])).stdout)
    await journal()
    before = await contents()
    await two!.befall('cut')
  })
  /** The other host has stayed byte for byte. */
  const hasNotChanged = async () => {
    await two!.befall('join')
    expect(await contents()).toBe(before)
  }
  afterEach(hasNotChanged)

  test('is saved and restored: that of one service, and not of the one beside it', async () => {
    await Promise.all([write(one!, 'red', 'new'), write(one!, 'green', 'new')])
    await run('davit-snapshot', '--on', 'service:red')
    expect(await journal()).toEqual(['snapshot red'])
    await Promise.all([write(one!, 'red', 'bad'), write(one!, 'green', 'bad')])
    await run('davit-restore', '--on', 'service:red')
    expect(await journal()).toEqual(['snapshot red', 'restore red'])
    expect(await Promise.all([row(one!, 'red'), row(one!, 'green')])).toEqual(['new\n', 'bad\n'])
    const refused = await user.run(['davit-restore', '--on', 'service:rde'])
    expect([refused.status, refused.stderr]).toEqual([64, expect.stringContaining("'service:red'")])
  })

  test('loses its old snapshots, and garbage is collected there', async () => {
    /** Components of which the target has snapshots. */
    const kept = async () => {
      const found = await one!.sh("find /var/lib/davit/targets/one -path '*/snapshots/*/*' -type d")
      return ['red', 'green'].filter((name) => new RegExp(`[/:-]${name}/.`).test(found))
    }
    expect(await kept()).toEqual(['red', 'green'])
    await run('davit-clean-snapshots', '--keep', '0', '--where', 'targets', '--on', 'service:red')
    expect(await kept()).toEqual(['green'])
    await run('davit-collect-garbage', '--deployed', '--on', 'one,three')
  })

  test('moves and is deleted where it was, and the rest of what moved is left', async () => {
    await two!.befall('join')
    succeeded(await deploy(user, models('three'), { options: ['--no-migration', '--on', 'one,three'] }))
    await two!.befall('cut')
    await journal()
    await run('davit-migrate', '-o', 'old.xml', '--on', 'service:red')
    expect(await journal()).toContain('restore red')
    expect(await row(three!, 'red')).toBe('old\n')
    await run('davit-delete-state', '-o', 'old.xml', '--on', 'service:red')
    expect(await journal()).toEqual(['collect-garbage red'])
    expect(await row(one!, 'red')).toBe('')
  })
})
