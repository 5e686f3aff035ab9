import { eventually } from '@davit/testing/wait'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { infrastructureOf, makeManifest } from '../harness/models.ts'
import { heldBack, takeJournal, wrapper } from '../harness/services.ts'

const DEPLOY = ['davit-env', '-D', 'manifest.json']

describe.skipIf(!HOSTS_POSSIBLE)('a host that is reinstalled during a run', () => {
  let set: TestHosts
  let first: Host
  let second: Host
  let user: Coordinator

  beforeEach(async () => {
    set = await bringUpHosts(2, { prefix: 'ri' })
    first = set.hosts[0]!
    second = set.hosts[1]!
    user = await coordinator({ hosts: set })
  })
  afterEach(async () => {
    await set?.down()
    await user?.remove()
  })

  /** Makes a database on the first host, and a service that depends on it on the second. The activation of one of them waits. */
  async function describeSystem(waiting: 'database' | 'web'): Promise<void> {
    const body = (name: string) => (name === waiting ? { body: heldBack(name) } : {})
    const services = { database: wrapper(body('database')), web: wrapper(body('web'), { dependsOn: ['database'] }) }
    const distribution = { database: ['ri1'], web: ['ri2'] }
    await makeManifest(user, { services, infrastructure: infrastructureOf(set.hosts), distribution })
  }

  const isThere = (host: Host, file: string) =>
    host.sh(`cat ${file}`).then(
      () => true,
      () => false,
    )

  test('has lost the lock when the run comes to it, and nothing more is done', async () => {
    await describeSystem('database')
    const run = user.start(DEPLOY)
    await eventually('the beginning', () => isThere(first, '/tmp/database.begun'))
    await second.befall('reinstall')
    await first.sh('touch /tmp/database.go')
    const { status, stderr } = await run.outcome
    expect([status, stderr]).toEqual([1, expect.stringContaining('the lock was lost, and nothing more was done')])
    expect(stderr).toContain("the same command continues from here; what remains: activate 'web' on 'ri2'")
    succeeded(await user.run(DEPLOY))
    expect(await takeJournal(set.hosts)).toEqual(['activate database 1 wrapper', 'activate web 1 wrapper'])
  })

  // This happens if the host is still away; how soon it is back is not determined.
  test('cannot say what became of what it was about to do, and the next run begins with what is there', async () => {
    await describeSystem('web')
    const run = user.start(DEPLOY)
    await eventually('the beginning', () => isThere(second, '/tmp/web.begun'))
    await second.befall('reinstall')
    const { status, stderr } = await run.outcome
    const said = /cannot tell what became of the request to activate 'web' on 'ri2'|the lock was lost, and nothing more/
    expect([status, stderr]).toEqual([/the lock was lost/.test(stderr) ? 1 : 3, expect.stringMatching(said)])
    expect(stderr).toContain('hint: the same command continues from here; ')
    await second.sh('touch /tmp/web.go')
    succeeded(await user.run(DEPLOY))
    expect((await takeJournal(set.hosts)).at(-1)).toBe('activate web 1 wrapper')
  })
})
