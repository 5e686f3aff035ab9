import { sampleOf } from '@davit/testing/effort'
import { eventually } from '@davit/testing/wait'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { LANGUAGES } from '../harness/language.ts'
import { deploy, type Models, writeModels } from '../harness/models.ts'
import { forgetDeployments } from '../harness/records.ts'
import { takeJournal, wrapper } from '../harness/services.ts'
import { KEEP_DIRECTORY, rowsOn, targetsOn, writeRow } from '../harness/three-targets.ts'

/** Keeps its state in a directory; `/tmp/hold.ACTIVITY` makes an activity wait until that file is gone. */
const LEDGER = `if [ -e "/tmp/hold.$1" ]; then
  : >"/tmp/held.$1"
  while [ -e "/tmp/hold.$1" ]; do sleep 0.05; done
fi
${KEEP_DIRECTORY}`

const ACTIVITIES = ['activate', 'deactivate', 'snapshot', 'restore', 'collect-garbage']

describe.skipIf(!HOSTS_POSSIBLE).each(LANGUAGES)('state of services, models in %s', (language) => {
  let set: TestHosts
  let hosts: readonly Host[]
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(3, { prefix: 'st' })
    hosts = set.hosts
    user = await coordinator({ hosts: set, language })
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })
  afterEach(async () => {
    await forgetDeployments(hosts, user)
    await Promise.all(hosts.map((host) => host.sh('rm -rf /var/lib/ledger /tmp/hold.* /tmp/held.* /tmp/journal')))
  })

  const models = (ledger: string): Models => ({
    services: {
      ledger: wrapper({ body: LEDGER }, { deployState: true }),
      page: wrapper({}, { dependsOn: ['ledger'] }),
    },
    infrastructure: targetsOn(set),
    distribution: { ledger: [ledger], page: ['three'] },
  })
  const journal = () => takeJournal(hosts, ACTIVITIES)
  const write = (host: number, row: string) => writeRow(hosts[host]!, row)
  const rows = (host: number) => rowsOn(hosts[host]!)

  test('moves with the service before anybody is served, and back with a rollback', async () => {
    succeeded(await deploy(user, models('one')))
    await write(0, 'first')
    await journal()
    const dry = succeeded(await deploy(user, models('two'), { options: ['--dry-run'] }))
    expect(dry.stdout).toContain('> move the state of ledger in wrapper from one to two')
    succeeded(await deploy(user, models('two')))
    expect((await journal()).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'deactivate page',
      'deactivate ledger',
      'snapshot ledger',
      'activate ledger',
      'snapshot ledger',
      'restore ledger',
      'activate page',
    ])
    expect(await rows(1)).toBe('first\n')
    await write(1, 'second')
    succeeded(await user.run(['davit-env', '--rollback']))
    expect(await rows(0)).toBe('first\nsecond\n')
    expect(succeeded(await deploy(user, models('one'))).stderr).toContain('nothing to do')
  })

  test.each(sampleOf(['deactivate', 'snapshot', 'activate', 'restore'], 1))(
    'is where the manifest says, after davit was killed during %s',
    async (activity) => {
      succeeded(await deploy(user, models('one')))
      await write(0, activity)
      const host = hosts[activity === 'activate' || activity === 'restore' ? 1 : 0]!
      await host.sh(`touch /tmp/hold.${activity}`)
      const first = user.start(['davit-env', ...(await writeModels(user, models('two')))])
      await eventually('the activity', async () =>
        expect(await host.sh(`ls /tmp/held.${activity} 2>/dev/null || :`)).not.toBe(''),
      )
      process.kill(-first.process.pid!, 'SIGKILL')
      await first.outcome
      await host.sh(`rm /tmp/hold.${activity}`)
      succeeded(await deploy(user, models('two')))
      expect(await rows(1)).toBe(`${activity}\n`)
      expect(succeeded(await deploy(user, models('two'))).stderr).toContain('nothing to do')
    },
  )
})
