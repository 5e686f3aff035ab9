import { spawnSync } from 'node:child_process'
import { MARIADB_SOCKET, startMariadb } from '@davit/testing/database-servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { deploy, type Models } from '../harness/models.ts'
import { wrapper } from '../harness/services.ts'

const COUNTER = `mkdir -p "$out/etc/dysnomia/process"
cat >"$out/etc/dysnomia/process/redis" <<'end'
stateDirectory=/var/lib/counter
process='exec redis-server --port 7379 --dir /var/lib/counter --save "3600 1"'
readyCommand='redis-cli -e -p 7379 get ready'
snapshotCommand='redis-cli -e -p 7379 save'
end`
const NOTES = `mkdir -p "$out/www"
echo page >"$out/www/index.html"
echo /srv/notes >"$out/.dysnomia-targetdir"
printf '%s\\n' "symlink $out/www" 'target .' 'mkdir uploads' 'mkdir var/log' >"$out/.dysnomia-fileset"`

const SHOP = `mkdir -p "$out/mysql-databases"
cat >"$out/mysql-databases/1-tables.sql" <<'end'
CREATE TABLE articles (id INT PRIMARY KEY, name TEXT NOT NULL);
end
cat >"$out/mysql-databases/2-rows.sql" <<'end'
INSERT INTO articles VALUES (1, 'pencil');
end`
const MARIADB = startMariadb('--skip-networking')

const hasMariadb = spawnSync('mariadb', ['--version']).status === 0
const hasRedis = spawnSync('redis-server', ['--version']).status === 0

describe.skipIf(!HOSTS_POSSIBLE || !hasRedis)('state of the modules that davit ships', () => {
  let set: TestHosts
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'sm' })
    user = await coordinator({ hosts: set, language: 'YAML' })
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  const models = (target: string): Models => ({
    services: {
      counter: { type: 'process', pkg: { build: { script: COUNTER } }, deployState: true },
      notes: { type: 'fileset', pkg: { build: { script: NOTES } }, deployState: true },
    },
    infrastructure: Object.fromEntries(
      set.hosts.map(({ name, address }) => [
        name,
        { properties: { hostname: address }, clientInterface: 'ssh', containers: { process: {}, fileset: {} } },
      ]),
    ),
    distribution: { counter: [target], notes: [target] },
  })

  test('moves with its service, and back with a rollback', async () => {
    const [first, second] = set.hosts
    const visit = 'redis-cli -p 7379 incr visitors'
    const look = 'cat /srv/notes/uploads/a /srv/notes/var/log/l /srv/notes/www/index.html'
    succeeded(await deploy(user, models(first!.name)))
    await first!.sh(`${visit}; echo picture >/srv/notes/uploads/a; echo line >/srv/notes/var/log/l`)
    const dry = succeeded(await deploy(user, models(second!.name), { options: ['--dry-run'] }))
    expect(dry.stdout).toMatch(
      /^> move the state of counter (.*\n)*\+ activate counter |^\+ activate counter (.*\n)*> move the state of counter /m,
    )
    succeeded(await deploy(user, models(second!.name)))
    expect(await second!.sh(`${visit}; ${look}`)).toBe('2\npicture\nline\npage\n')
    await second!.sh('echo changed >/srv/notes/uploads/a')
    succeeded(await user.run(['davit-env', '--rollback']))
    expect(await first!.sh(`${visit}; ${look}`)).toBe('3\nchanged\nline\npage\n')
  })

  test.skipIf(!hasMariadb)(
    'moves with a database in the real MariaDB, before what depends on it is served',
    async () => {
      const [first, second] = set.hosts
      await Promise.all([first!, second!].map((host) => host.sh(MARIADB)))
      const container = { mysqlSocket: MARIADB_SOCKET, mysqlUsername: 'root' }
      const rows = (target: string) => `mariadb -uroot -NBe "SELECT name FROM articles ORDER BY id" ${target}`
      const shop = (target: string): Models => ({
        services: {
          shop: { type: 'mysql-database', pkg: { build: { script: SHOP } }, deployState: true },
          page: wrapper({ body: `[ "$1" != activate ] || ${rows('shop')} >/tmp/page` }, { dependsOn: ['shop'] }),
        },
        infrastructure: Object.fromEntries(
          set.hosts.map(({ name, address }) => [
            name,
            {
              properties: { hostname: address },
              clientInterface: 'ssh',
              containers: { 'mysql-database': container, wrapper: {} },
            },
          ]),
        ),
        distribution: { shop: [target], page: [target] },
      })
      const options = ['-p', 'shop']
      succeeded(await deploy(user, shop(first!.name), { options }))
      await first!.sh(`mariadb -uroot -e "INSERT INTO articles VALUES (2, 'paper')" shop`)
      succeeded(await deploy(user, shop(second!.name), { options }))
      expect(await second!.sh('cat /tmp/page')).toBe('pencil\npaper\n')
      await second!.sh(`mariadb -uroot -e "INSERT INTO articles VALUES (3, 'ink')" shop`)
      succeeded(await user.run(['davit-env', '--rollback', ...options]))
      expect(await first!.sh('cat /tmp/page')).toBe('pencil\npaper\nink\n')
      expect(await second!.sh(rows('shop'))).toBe('pencil\npaper\nink\n')
    },
  )
})
