import { join } from 'node:path'
import { MARIADB_SOCKET, startMariadb, startPostgresql } from '@davit/testing/database-servers'
import { DYSNOMIA_MODULES, dumpingWrapper } from '@davit/testing/dysnomia'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { deploy, type Models } from '../harness/models.ts'

/** Services whose modules follow the protocol of Dysnomia, and what one does with their state on a host. */
interface Styles {
  /** Directory for `--modules`; undefined if the modules of the tests are used. */
  readonly modules?: string
  readonly services: Models['services']
  readonly containers: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Shell script that starts what the services need. */
  readonly prepare?: string
  /** Service → shell script that adds the line `$1` to its state. */
  readonly add: Readonly<Record<string, string>>
  /** Service → shell script that prints all lines, in order. */
  readonly show: Readonly<Record<string, string>>
  /** Shell script that prints something as long as any of the state is there. */
  readonly left: string
  /** Service whose module is also called without davit. */
  readonly alone: string
}

const made = (script: string) => ({ build: { script } })
const stateful = (type: string, script: string) => ({ type, pkg: made(script), deployState: true })

const OWN: Styles = {
  services: {
    rows: stateful('dumping', 'mkdir "$out" && echo seed >"$out/seed"'),
    tree: stateful('numbered', 'mkdir "$out"'),
    told: stateful(
      'wrapper',
      `mkdir -p "$out/bin" && echo seed >"$out/seed"
cat >"$out/bin/wrapper" <<'end-of-wrapper'
${dumpingWrapper('told')}end-of-wrapper
chmod +x "$out/bin/wrapper"`,
    ),
    plain: { type: 'stateless', pkg: made('mkdir "$out"'), dependsOn: ['rows'] },
  },
  containers: {
    dumping: { base: '/srv/dumping', snapshotReader: 'nobody' },
    numbered: { base: '/srv/numbered' },
    wrapper: { base: '/srv/wrapper', snapshotReader: 'nobody' },
    stateless: {},
  },
  add: {
    rows: 'echo "$1" >>/srv/dumping/rows/rows',
    tree: 'cd /srv/numbered/tree && echo "$1" >>tree/deep/lines && wc -l <tree/deep/lines >number',
    told: 'echo "$1" >>/srv/wrapper/told/rows',
  },
  show: {
    rows: 'sed 1d /srv/dumping/rows/rows',
    tree: 'cat /srv/numbered/tree/tree/deep/lines',
    told: 'sed 1d /srv/wrapper/told/rows',
  },
  left: 'ls -d /srv/*/*/rows /srv/*/*/tree 2>/dev/null || :',
  alone: 'tree',
}

const SERVERS = [startMariadb('--skip-networking'), startPostgresql(['-c', 'listen_addresses='])].join('\n')
const TABLE = 'CREATE TABLE entries (n SERIAL PRIMARY KEY, line TEXT);'
const LOOP = `#!/bin/sh
setsid sh -c 'trap "rm -f /run/loop.pid; exit" TERM; echo $$ >/run/loop.pid; while :; do sleep 0.1; done' </dev/null >/dev/null 2>&1 &
until [ -s /run/loop.pid ]; do sleep 0.1; done`
const psql = (options: string) => `cd / && su -s /bin/sh postgres -c "psql -qAt ${options} books"`

/** One module of each of Dysnomia's own styles, in the directory PREFIX/libexec/dysnomia of an installation that the hosts have as well. */
const originals = (prefix: string): Styles => ({
  modules: join(prefix, 'libexec/dysnomia'),
  prepare: SERVERS,
  services: {
    shop: stateful(
      'mysql-database',
      `mkdir -p "$out/mysql-databases" && echo '${TABLE}' >"$out/mysql-databases/a.sql"`,
    ),
    books: stateful(
      'postgresql-database',
      `mkdir -p "$out/postgresql-databases" && echo '${TABLE}' >"$out/postgresql-databases/a.sql"`,
    ),
    notes: stateful(
      'fileset',
      `mkdir "$out" && echo /srv/notes >"$out/.dysnomia-targetdir" && echo 'mkdir uploads' >"$out/.dysnomia-fileset"`,
    ),
    site: stateful(
      'nginx-webapplication',
      `mkdir -p "$out/www" && printf '%s\\n' "symlink $out/www" 'target .' 'mkdir data' >"$out/.dysnomia-fileset"`,
    ),
    loop: {
      type: 'process',
      pkg: made(`mkdir -p "$out/bin"
cat >"$out/bin/loop" <<'end'
${LOOP}
end
chmod +x "$out/bin/loop"`),
      dependsOn: ['shop'],
    },
    said: { type: 'echo', pkg: made('mkdir "$out"') },
  },
  containers: {
    'mysql-database': { mysqlUsername: 'root', mysqlPassword: '', mysqlSocket: MARIADB_SOCKET },
    'postgresql-database': { postgresqlUsername: 'postgres' },
    fileset: {},
    'nginx-webapplication': { documentRoot: '/srv/site' },
    process: {},
    echo: {},
  },
  add: {
    shop: `mariadb -uroot shop -e "INSERT INTO entries (line) VALUES ('$1')"`,
    books: psql(`-c \\"INSERT INTO entries (line) VALUES ('$1')\\"`),
    notes: 'echo "$1" >>/srv/notes/uploads/lines',
    site: 'echo "$1" >>/srv/site/data/lines',
  },
  show: {
    shop: 'mariadb -uroot shop -NBe "SELECT line FROM entries ORDER BY n"',
    books: psql(`-c 'SELECT line FROM entries ORDER BY n'`),
    notes: 'cat /srv/notes/uploads/lines',
    site: 'cat /srv/site/data/lines',
  },
  left: `ls -d /srv/notes/uploads /srv/site/data /srv/mysql/shop 2>/dev/null || :
cd / && su -s /bin/sh postgres -c 'psql -lqt' | grep -w books || :`,
  alone: 'shop',
})

const prefix = process.env['DAVIT_TEST_DYSNOMIA']
const STYLES: readonly (readonly [string, Styles])[] = [
  ['that follow the protocol of Dysnomia', OWN],
  ...(prefix === undefined ? [] : [['of Dysnomia itself', originals(prefix)] as const]),
]

describe.skipIf(!HOSTS_POSSIBLE).each(STYLES)('modules %s', (_, styles) => {
  let set: TestHosts
  let user: Coordinator
  let first: Host
  let second: Host
  let options: readonly string[]

  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'dy' })
    ;[first, second] = set.hosts as [Host, Host]
    user = await coordinator({ hosts: set, language: 'YAML' })
    await Promise.all(set.hosts.map((host) => host.sh(styles.prepare ?? ':')))
    options = ['--modules', styles.modules ?? (await writeModules())]
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  const writeModules = async () => {
    const files = Object.entries(DYSNOMIA_MODULES).map(async ([name, script]) => user.write(`modules/${name}`, script))
    await Promise.all(files)
    await user.bash('chmod +x modules/*')
    return join(user.directory, 'modules')
  }
  const names = Object.keys(styles.add)
  const models = (target: Host | undefined): Models => ({
    services: styles.services,
    infrastructure: Object.fromEntries(
      set.hosts.map(({ name, address }) => [
        `on-${name}`,
        { properties: { hostname: address }, clientInterface: 'ssh', containers: styles.containers, numOfCores: 2 },
      ]),
    ),
    distribution:
      target === undefined
        ? {}
        : Object.fromEntries(Object.keys(styles.services).map((name) => [name, [`on-${target.name}`]])),
  })
  const add = async (host: Host, line: string) => {
    for (const name of names) await host.sh(styles.add[name] ?? '', line)
  }
  const linesOn = async (host: Host) =>
    Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, (await host.sh(styles.show[name] ?? '')).trim()] as const)),
    )
  const everywhere = (...lines: readonly string[]) => Object.fromEntries(names.map((name) => [name, lines.join('\n')]))
  test('move their state there and back, and their stores of snapshots are those of davit', async () => {
    succeeded(await deploy(user, models(first), { options }))
    await add(first, 'one')
    succeeded(await deploy(user, models(second), { options }))
    expect(await linesOn(second)).toEqual(everywhere('one'))

    await add(second, 'two')
    succeeded(await user.run(['davit-snapshot', '--deployed']))
    await add(second, 'lost')
    succeeded(await user.run(['davit-restore', '--deployed', '--all']))
    expect(await linesOn(second)).toEqual(everywhere('one', 'two'))

    // What a module keeps by itself is found, and so is a snapshot that nobody refers to.
    const store = `/var/lib/davit/targets/on-${second.name}/dysnomia`
    const generations = await second.sh(`cd ${store}/generations && find . -name 2 -type l | cut -d/ -f 3 | sort`)
    expect(generations.trim().split('\n')).toEqual(names.toSorted())
    await second.sh(`cd ${store}/snapshots && for one in */*; do mkdir "$one/orphan"; done`)
    succeeded(await user.run(['davit-clean-snapshots', '--deployed', '--keep', '1']))
    // Of each, the latest is left, and what the restoration replaced.
    expect((await second.sh(`cd ${store} && ls -d snapshots/*/*/* generations/*/*/*`)).trim().split('\n')).toHaveLength(
      4 * names.length,
    )

    succeeded(await deploy(user, models(first), { options: [...options, '--delete-state'] }))
    expect(await linesOn(first)).toEqual(everywhere('one', 'two'))
    expect(await second.sh(styles.left)).toBe('')
    expect(succeeded(await deploy(user, models(first), { options })).stderr).toContain('nothing to do')
  })

  test('go on where they worked without davit, and without davit where they worked with it', async () => {
    const { alone, containers, services, add: adding, show } = styles
    const { type } = services[alone]!
    const [module, store] = ['/srv/module', `/var/lib/davit/targets/on-${first.name}/dysnomia`]
    const properties = Object.entries(containers[type] ?? {}).map(([name, value]) => `${name}='${value}'`)
    /** Calls the module as Dysnomia does. */
    const call = (activity: string) =>
      first.sh(`export DYSNOMIA_STATEDIR=/var/state/dysnomia NIX_STORE_DIR='${user.storeDirectory}' ${properties.join(' ')}
${module} ${activity} "$(ls -d "$NIX_STORE_DIR"/*-${alone})" ${type} >&2`)
    const write = (line: string) => first.sh(adding[alone] ?? '', line)
    const written = async () => (await first.sh(show[alone] ?? '')).trim().split('\n').slice(-2)
    const tool = async (...argv: readonly string[]) => succeeded(await user.run(argv)).stdout

    succeeded(await deploy(user, models(first), { options }))
    await add(first, 'early')
    await tool('davit-snapshot', '--deployed')
    const script =
      styles.modules === undefined ? DYSNOMIA_MODULES[type as 'numbered'] : `exec ${styles.modules}/${type} "$@"`
    await first.sh(
      `mkdir -p /var/state && mv ${store} /var/state/dysnomia && printf '%s\\n' "$1" >${module} && chmod +x ${module}`,
      script,
    )
    await write('wrong')
    await call('restore')
    expect((await written()).at(-1)).toBe('early')
    await write('late')
    await call('snapshot')
    await call('snapshot')

    await first.sh(`mv /var/state/dysnomia ${store}`)
    const listed = await tool('davit-snapshots', '--where', 'targets', '-C', alone, '--format', 'json')
    const here = JSON.parse(listed).filter(({ target }: { readonly target: string }) => target === `on-${first.name}`)
    const [early, late] = here.slice(-2)
    expect(late.name).not.toBe(early.name)
    await tool('davit-snapshot', '--deployed', '--transfer-only', '--all', '-C', alone)
    await write('lost')
    await tool('davit-restore', '--deployed', '-C', alone)
    expect(await written()).toEqual(['early', 'late'])
    await tool('davit-restore', '--deployed', '-C', alone, '--snapshot', early.name)
    expect((await written()).at(-1)).toBe('early')
  })
})
