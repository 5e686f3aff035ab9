import { mkdtemp } from 'node:fs/promises'
import { removeTree } from '@davit/files'
import { sampleOf } from '@davit/testing/effort'
import { eventually } from '@davit/testing/wait'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { deploy, infrastructureOf, type Models, writeModels } from '../harness/models.ts'
import { hasBegun, heldBack, takeJournal, wrapper, type WrapperOptions } from '../harness/services.ts'

const CRON = 'rm -f /etc/cron.*/* /var/spool/cron/crontabs/*; : >/etc/crontab; echo cron >>/etc/rc.local'

/** What starts a process after a restart: how a host gets it, whose deployment it is for, and what it is told. */
const MEANS = {
  cron: { prepare: CRON, account: 'root', told: 'ls /etc/cron.d' },
  openrc: {
    prepare: `rm -f /etc/runlevels/*/*; echo 'openrc sysinit && openrc boot && openrc default' >>/etc/rc.local`,
    account: 'root',
    told: 'ls /etc/runlevels/default; cd /etc/init.d && ls davit* 2>/dev/null',
  },
  'cron for an account': {
    prepare: `${CRON}; useradd -m -p '*' -s /bin/sh anna && cp -r /root/.ssh /home/anna/ && chown -R anna /home/anna`,
    account: 'anna',
    told: 'crontab -u anna -l 2>/dev/null',
  },
}

/** What each of them does with its files is tested with the helper, so that one is enough here. */
const TRIED = sampleOf(['cron', 'openrc', 'cron for an account'] as const, 1)

describe.skipIf(!HOSTS_POSSIBLE).each(TRIED)('a deployment on a host with %s', (name) => {
  const { prepare, account, told } = MEANS[name]
  let set: TestHosts
  let host: Host
  let user: Coordinator
  let environment: { readonly DAVIT_STORE_DIR: string }

  beforeAll(async () => {
    set = await bringUpHosts(1, { prefix: 'cb' })
    host = set.hosts[0]!
    await host.sh(`echo '#!/bin/sh' >/etc/rc.local; chmod +x /etc/rc.local; ${prepare}; /etc/rc.local >/dev/null 2>&1`)
    user = await coordinator({ hosts: set })
    // Packages on the host have to survive a restart.
    environment = { DAVIT_STORE_DIR: await mkdtemp('/var/tmp/davit-test-') }
    await host.sh('install -d -o "$1" "$2"', account, environment.DAVIT_STORE_DIR)
    succeeded(await deploy(user, models({ version: '1' }), { environment }))
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
    removeTree(environment.DAVIT_STORE_DIR)
  })

  const models = (options: WrapperOptions): Models => ({
    services: { web: wrapper(options) },
    infrastructure: infrastructureOf([{ name: host.name, address: `${account}@${host.address}` }]),
    distribution: { web: [host.name] },
  })
  const arranged = () => host.sh(`{ ${told}; } || :`)
  const trials = () =>
    host.sh(
      'ls -d /var/lib/davit/targets/*/trials/default ~anna/.local/state/davit/targets/*/trials/default 2>/dev/null || :',
    )
  /** Begins to deploy a new version, and kills the coordinator in the middle of it. */
  const cutOff = async (version: string) => {
    const words = await writeModels(user, models({ version, body: heldBack('off') }))
    const tool = user.start(['davit-env', ...words, '--confirm', '600'], { environment })
    await hasBegun(host, 'off')
    process.kill(-tool.process.pid!, 'SIGKILL')
    return (await tool.outcome).stderr
  }

  test('that is not confirmed when its host restarts goes back by itself, and leaves nothing of that', async () => {
    const before = await arranged()
    expect(await cutOff('2')).not.toContain('only once davit connects to it again')
    expect(await arranged()).not.toBe(before)
    await host.befall('reboot')
    await eventually('the way back', async () => expect(await trials()).toBe(''))
    expect(await takeJournal([host])).toEqual(['deactivate web 2 wrapper', 'activate web 1 wrapper'])
    expect(await arranged()).toBe(before)
    expect(succeeded(await deploy(user, models({ version: '1' }), { environment })).stderr).toContain('nothing to do')
  })

  test('says so if that does not run, and waits for davit', async () => {
    await host.sh(': >/etc/rc.local')
    await host.befall('reboot')
    succeeded(await deploy(user, models({ version: '1' }), { environment }))
    expect(await cutOff('3')).toContain('goes back only once davit connects to it again')
  })
})
