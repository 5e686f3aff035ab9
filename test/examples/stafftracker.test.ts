import { spawnSync } from 'node:child_process'
import { startMariadb, startPostgresql } from '@davit/testing/database-servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { coordinator, type Coordinator } from '../harness/coordinator.ts'
import { copyExample, type Example } from '../harness/examples.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { leavingAlone } from '../harness/left-alone.ts'
import { recordsOn } from '../harness/records.ts'

const MARIADB = startMariadb('--innodb-buffer-pool-size=16M')
const POSTGRESQL = startPostgresql(
  ['-c', "listen_addresses='*'"],
  ['local all postgres peer', 'local all all scram-sha-256', 'host all all all scram-sha-256'],
)

const KILL_SERVICES = `for process in /proc/[0-9]*; do
  ! grep -qsz '/serve[.]py$' "$process/cmdline" || kill "\${process#/proc/}"
done`

const DEPLOY = 'davit-env -s typescript/services.ts -i typescript/infrastructure.ts -d typescript/distribution.ts'

const isInstalled = (program: string) => spawnSync(program, ['--version']).error === undefined
const POSSIBLE = HOSTS_POSSIBLE && ['/usr/sbin/mariadbd', 'psql', '/usr/sbin/nginx'].every(isInstalled)

describe.skipIf(!POSSIBLE)('the example stafftracker', () => {
  let set: TestHosts
  let hosts: readonly [Host, Host, Host]
  let user: Coordinator
  let example: Example

  beforeAll(async () => {
    set = await bringUpHosts(3, { prefix: 'tracker' })
    hosts = set.hosts as unknown as typeof hosts
    user = await coordinator({ hosts: set })
    example = await copyExample(user, 'stafftracker', hosts)
    await Promise.all([hosts[0].sh(MARIADB), hosts[1].sh(MARIADB), hosts[2].sh(POSTGRESQL)])
    await example.type('Machines')
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  const page = async (path = '') => (await fetch(`http://${hosts[2].address}:8080/${path}`)).text()
  const rowsIn = (text: string) =>
    [...text.matchAll(/<tr><td>(.*)<\/td><\/tr>/g)].map(([, cells]) => cells!.replaceAll('</td><td>', ', '))
  const databases = async (host: Host) =>
    (await host.sh('mariadb -NBe "SHOW DATABASES"')).split('\n').filter((name) => /^(rooms|zipcodes)$/.test(name))

  const STAFF = ['1, Sanne Bakker, B1', '2, Jörg Weiß, A2', '3, Chidi Okafor, A1']
  const ROOMS = ['A1, 2628 CD', 'A2, 2628 CD', 'B1, 1098 XG']
  const ZIPCODES = ['1098 XG, Science Park, Amsterdam', '2628 CD, Mekelweg, Delft']
  const ALL = [...STAFF, '4, Noor Visser, C1', ...ROOMS, 'C1, 9712 CP', ...ZIPCODES, '9712 CP, Broerstraat, Groningen']
  const withRoomD1 = ALL.toSpliced(ALL.indexOf('C1, 9712 CP') + 1, 0, 'D1, 9712 CP')

  test('its page shows the rows of three databases, also when one of two equal services is gone', async () => {
    const { stdout } = await example.type('Deploy')
    expect(rowsIn(stdout)).toEqual([...STAFF, ...ROOMS, ...ZIPCODES])
    await hosts[0].sh(KILL_SERVICES)
    // nginx asks both in turn.
    for (const _ of [1, 2, 3]) expect(rowsIn(await page())).toEqual([...STAFF, ...ROOMS, ...ZIPCODES])
  })

  test('its page is upgraded alone: the other machines stay as they are, and so do the records beside it', async () => {
    await example.replace('page/index.html', '<h1>Staff tracker</h1>', '<h1>Our staff</h1>')
    const before = (await recordsOn(hosts[2])).filter(({ service }) => service !== 'page')
    await leavingAlone(hosts.slice(0, 2), user, () => example.bash(`${DEPLOY} --on service:page`))
    expect((await recordsOn(hosts[2])).filter(({ service }) => service !== 'page')).toEqual(before)
    expect(await page()).toContain('<h1>Our staff</h1>')
    expect(rowsIn(await page())).toEqual([...STAFF, ...ROOMS, ...ZIPCODES])
  })

  test('two databases swap places, below a provider of a container that keeps its tenant', async () => {
    await example.type('Use')
    const { stdout, stderr } = await example.type('Two databases swap places')
    expect(rowsIn(stdout)).toEqual(ALL)
    expect(stderr).toContain('[north] activate staffService in process: done')
    expect(await databases(hosts[0])).toEqual(['rooms', 'zipcodes'])
    expect(await hosts[1].sh('mariadb -NBe "SELECT room FROM rooms ORDER BY room" rooms')).toBe('A1\nA2\nB1\nC1\n')
    expect(await page('photos/4.jpg')).toBe('picture\n')
  })

  test('they go back with what was added in the meantime, and leave nothing', async () => {
    await hosts[1].sh(`mariadb -e "INSERT INTO rooms VALUES ('D1', '9712 CP')" rooms`)
    const { stdout } = await example.type('Go back')
    expect(rowsIn(stdout)).toEqual(withRoomD1)
    expect(await databases(hosts[0])).toEqual(['rooms'])
    expect(await databases(hosts[1])).toEqual(['zipcodes'])
  })

  test('the provider is not removed while state is in its container', async () => {
    const before = await user.generations()
    const { status, stderr } = await user.run([
      'davit-env',
      '--undeploy',
      '-i',
      'stafftracker/typescript/infrastructure.ts',
    ])
    expect(status).toBe(1)
    expect(stderr).toContain("the state of 'page' on 'east' is in 'nginx-webapplication', which 'nginx' provides")
    expect(stderr).toContain('hint: remove these services first')
    expect(await user.generations()).toEqual(before)
    expect(rowsIn(await page())).toEqual(withRoomD1)
  })

  test('everything is removed, and comes back from its latest snapshots wherever they were taken', async () => {
    await example.type('Remove everything')
    await expect(page()).rejects.toThrow('fetch failed')
    const drop = (name: string) => `mariadb -e 'DROP DATABASE ${name}'`
    await Promise.all([
      hosts[0].sh(drop('rooms')),
      hosts[1].sh(drop('zipcodes')),
      hosts[2].sh(`cd / && runuser -u postgres -- psql -c 'DROP DATABASE staff'; rm -r /srv/stafftracker`),
    ])
    const { stdout } = await example.type('Deploy again from the snapshots')
    expect(rowsIn(stdout)).toEqual(withRoomD1)
    expect(await page('photos/4.jpg')).toBe('picture\n')
  })
})
