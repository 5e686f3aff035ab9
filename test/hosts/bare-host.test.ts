import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { deploy, infrastructureOf, type Models } from '../harness/models.ts'
import { activeOn, profileOn } from '../harness/records.ts'
import { takeJournal, wrapper } from '../harness/services.ts'

describe.skipIf(!HOSTS_POSSIBLE)('a host that has sshd and busybox, and nothing else', () => {
  let set: TestHosts
  let host: Host
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(1, { prefix: 'ba', kind: 'bare' })
    host = set.hosts[0]!
    user = await coordinator({ hosts: set })
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  const infrastructure = () =>
    infrastructureOf([host], { containers: { wrapper: { greeting: `it's "me"` }, echo: {}, process: {} } })
  const sleeper = {
    build: {
      script: `mkdir -p $out/bin; printf '#!/bin/sh\\nexec sleep 86398\\n' > $out/bin/sleeper; chmod +x $out/bin/sleeper`,
    },
  }
  const models = (version: string): Models => ({
    services: {
      database: wrapper({ version, body: 'printf %s "$greeting" > /tmp/greeting' }),
      web: {
        type: 'echo',
        dependsOn: ['database'],
        pkg: { build: { env: { name: '${database.name}' }, script: 'echo "$name" > $out' } },
      },
      sleeper: { type: 'process', pkg: sleeper },
    },
    infrastructure: infrastructure(),
    distribution: { database: ['ba1'], web: ['ba1'], sleeper: ['ba1'] },
  })
  const all = ['ba1 echo web', 'ba1 process sleeper', 'ba1 wrapper database']

  test('really lacks what other machines have', async () => {
    expect(
      (await host.sh('ls /bin/bash /usr/bin/node /usr/bin/python3 /nix /var/lib/davit 2>/dev/null || :')).trim(),
    ).toBe('')
  })

  test('is deployed to', async () => {
    succeeded(await deploy(user, models('1')))
    expect(await activeOn([host])).toEqual(all)
    expect(await takeJournal([host])).toEqual(['activate database 1 wrapper'])
    expect(await host.sh('cat /tmp/greeting')).toBe(`it's "me"`)
    expect((await profileOn(host)).generations).toEqual([1])
  })

  test('is upgraded', async () => {
    succeeded(await deploy(user, models('2')))
    expect(await activeOn([host])).toEqual(all)
    expect(await takeJournal([host])).toEqual(['deactivate database 1 wrapper', 'activate database 2 wrapper'])
  })

  test('is left alone when nothing changed', async () => {
    const { status } = await deploy(user, models('2'))
    expect(status).toBe(0)
    expect(await takeJournal([host])).toEqual([])
    expect((await profileOn(host)).generations).toEqual([1, 2])
  })

  test('is undeployed', async () => {
    succeeded(await user.run(['davit-env', '--undeploy', '-i', 'infrastructure.yaml']))
    expect(await activeOn([host])).toEqual([])
    expect(await host.sh('grep -ls 8639[8] /proc/[0-9]*/cmdline || :')).toBe('')
  })
})
