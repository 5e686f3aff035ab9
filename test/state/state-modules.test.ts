import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { deploy, type Models } from '../harness/models.ts'

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
})
