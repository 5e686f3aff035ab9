import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isThorough } from '@davit/testing/effort'
import type { Shell } from '@davit/testing/shells'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { argumentLists, Database } from './database.ts'
import { ADMIN, type Influxdb, noInfluxdb, startInfluxdb } from './influxdb.ts'
import { installedShells, scratchPath, shippedModule } from './scene.ts'
import { contentOf, exampleOf } from './stateful.ts'

const shells = installedShells()
const inDepth = shells.filter((shell) => shell.inDepth)
let server: Influxdb

beforeAll(async () => {
  if (noInfluxdb === undefined) server = await startInfluxdb()
})
afterAll(() => server?.stop())

const HELLO = '# DML\nhello,id=1 word="Hello world" 1\n'

describe.skipIf(noInfluxdb).each(shells)('influx-database under $name', (shell) => {
  test('keeps the points from the first activation until the garbage is collected', async () => {
    const shop = database(shell, 'shop', { 1: HELLO })
    expect(await shop.call('status')).toMatchObject({ status: 1, stderr: expect.stringContaining('is absent') })
    await shop.succeed('activate', 'activate', 'status')
    expect(words(shop)).toEqual(['Hello world'])
    const first = contentOf(await shop.snapshot())
    expect(contentOf(await shop.snapshot())).toEqual(first)
    await insert(shop, 2, 'changed')
    const second = await shop.snapshot()
    expect(contentOf(second)).not.toEqual(first)
    await shop.succeed('deactivate', 'deactivate', 'activate', 'deactivate')
    expect(words(shop)).toEqual(['Hello world', 'changed'])
    await shop.succeed('collect-garbage', 'collect-garbage', 'deactivate')
    expect(databases()).not.toContain(shop.name)
    await shop.succeed('activate')
    expect(words(shop)).toEqual(['Hello world'])
    await server.write(shop.name, 'later value=1')
    for (const _ of [1, 2]) {
      expect(await shop.restore(second)).toMatchObject({ status: 0, stderr: '' })
      expect(words(shop)).toEqual(['Hello world', 'changed'])
      expect(contentOf(await shop.snapshot())).toEqual(contentOf(second))
    }
    await shop.succeed('status', 'collect-garbage')
    expect(await shop.restore(second)).toMatchObject({ status: 0, stderr: '' })
    expect(contentOf(await shop.snapshot())).toEqual(contentOf(second))
    await shop.succeed('collect-garbage')
    expect(databases().filter((name) => name === shop.name || name.startsWith('davit-'))).toEqual([])
  })

  test('takes any name and any password, and shows the password to nobody', async () => {
    const odd = `-o'd="x" \`$(touch bad) ü%_,`
    const shop = database(shell, odd, { '-a $b': HELLO })
    let seen = ''
    const looking = setInterval(() => (seen += argumentLists()), 50)
    await shop.succeed('activate', 'activate')
    const snapshot = await shop.snapshot()
    await insert(shop, 2, 'two\n\n# lines')
    const lines = await shop.snapshot()
    for (const kept of [snapshot, lines]) {
      expect(await shop.restore(kept)).toMatchObject({ status: 0, stderr: '' })
      expect(contentOf(await shop.snapshot())).toEqual(contentOf(kept))
    }
    clearInterval(looking)
    expect(seen).toContain('-port')
    expect(seen).not.toContain(ADMIN.password)
    await shop.succeed('collect-garbage')
    expect(databases()).not.toContain(shop.name)
    const { status, stderr } = await shop.call('activate', { influxdbPassword: `${ADMIN.password}?` })
    expect(status).toBe(1)
    expect(stderr).toMatch(/authorization failed/)
    expect(stderr).toContain(`the server at 'localhost:${server.port}' refuses user '${ADMIN.name}'`)
    expect(stderr).not.toContain(ADMIN.password)
  })

  test('leaves nothing of a database whose second file fails', async () => {
    const broken = ['# DML\nhello,id=2 word=3i 2\n', '# DDL\nCREATE NONSENSE\n']
    for (const text of broken) {
      const shop = database(shell, 'broken', { 1: HELLO, 2: text })
      const { status, stderr } = await shop.call('activate')
      expect(status).toBe(1)
      expect(stderr).toMatch(/field type conflict|found NONSENSE/)
      expect(stderr).toMatch(/influx-databases\/2' cannot be loaded\n.*cannot activate 'broken.* it does not exist now/)
      expect(databases()).not.toContain(shop.name)
      expect(recordsOf(shop)).toEqual([])
    }
  })

  test('keeps policies, queries, subscriptions, and values of all types', async () => {
    const shop = database(shell, 'all', { 1: everything(`all_${shell.name}`) })
    await shop.succeed('activate')
    await server.write(shop.name, String.raw`odd\ \,m,a\ \,\=b=c\ \,\=d,e=f"\g f\ \,\="=1 7`)
    const name = `"${shop.name}"`
    server.query(
      `CREATE CONTINUOUS QUERY "q 1" ON ${name} BEGIN SELECT mean(f) INTO m FROM mix GROUP BY time(1h), * END`,
    )
    server.query(
      `CREATE SUBSCRIPTION "s" ON ${name}."autogen" DESTINATIONS ANY 'udp://127.0.0.1:9', 'udp://127.0.0.1:10'`,
    )
    // What is older than the policy allows is there nevertheless until the server removes it.
    server.query(`ALTER RETENTION POLICY "one y" ON ${name} DURATION 52w SHARD DURATION 1d`)
    server.query(`CREATE USER reader WITH PASSWORD 'x'; GRANT READ ON ${name} TO reader`)
    const snapshot = await shop.snapshot()
    expect(readFileSync(join(snapshot, 'points.txt'), 'utf8')).toBe(String.raw`# CONTEXT-RETENTION-POLICY: autogen
mix,t=x b=false,f=-1e-9,i=-9223372036854775808i,s="" 2
mix,t=x b=true,f=1.5,i=9007199254740993i,s="\"q\" \\ <&> ü],[{}:," 1
mix,t=y f=1e+300 -62135596800000000
odd\ \,m,a\ \,\=b=c\ \,\=d,e=f"\g f\ \,\="=1 7
# CONTEXT-RETENTION-POLICY: one y
old value=1 3
`)
    const before = server.query(`SHOW RETENTION POLICIES ON ${name}`)
    expect(await shop.restore(snapshot)).toMatchObject({ status: 0, stderr: '' })
    expect(contentOf(await shop.snapshot())).toEqual(contentOf(snapshot))
    expect(server.query(`SHOW RETENTION POLICIES ON ${name}`)).toBe(before)
    expect(server.query('SHOW GRANTS FOR reader')).toContain(`${shop.name},READ`)
    server.query('DROP USER reader')
    await shop.succeed('collect-garbage')
    expect(await shop.restore(snapshot)).toMatchObject({ status: 0, stderr: '' })
    expect(contentOf(await shop.snapshot())).toEqual(contentOf(snapshot))
    await shop.succeed('collect-garbage')
  })
})

describe.skipIf(noInfluxdb).each(inDepth)('influx-database in depth', (shell) => {
  const LATER = ['Hello world', 'snapshot', 'later']
  const killed: readonly [string, readonly (readonly string[])[]][] = [
    ['activate', [['Hello world']]],
    ['restore', [LATER, ['Hello world', 'snapshot']]],
    ['collect-garbage', [LATER, ['Hello world']]],
  ]
  test.each(killed)('is old or new after %s was killed anywhere', async (activity, outcomes) => {
    const shop = database(shell, `killed ${activity}`, { 1: HELLO })
    await shop.succeed('activate')
    await insert(shop, 2, 'snapshot')
    const snapshot = await shop.snapshot()
    await insert(shop, 3, 'later')
    const later = await shop.snapshot()
    // Most of the calls ask, and change nothing.
    for (let n = 1, done = false; !done; n += isThorough ? 1 : 5) {
      if (activity === 'activate') await shop.succeed('collect-garbage')
      else await shop.restore(later)
      const properties = { DAVIT_SNAPSHOT: shop.copyOf(snapshot), influxdbBinDir: '' }
      done = (await shop.killed(activity, n, properties)).status === 0
      expect(n).toBeLessThan(100)
      const isMade = (await shop.call('status')).status === 0
      expect(isMade ? outcomes : [[]]).toContainEqual(isMade ? words(shop) : [])
      await shop.succeed('activate', 'status')
      expect(outcomes).toContainEqual(words(shop))
      expect(recordsOf(shop).filter((name) => name !== 'candidate')).toEqual([])
    }
    expect(await shop.restore(snapshot)).toMatchObject({ status: 0 })
    expect(words(shop)).toEqual(['Hello world', 'snapshot'])
    expect(recordsOf(shop)).toEqual([])
    await shop.succeed('collect-garbage')
    expect(databases().filter((name) => name.startsWith('davit-'))).toEqual([])
  })

  const GOOD = { 'policies.tsv': 'autogen\t0s\t168h0m0s\t1\ttrue\n', 'statements.txt': '', 'points.txt': '' }
  const broken: readonly [string, Readonly<Record<string, string>>, string][] = [
    ['has points of two types', { ...GOOD, 'points.txt': 'm v=1 1\nm v="x" 2\n' }, 'field type conflict'],
    ['is cut off', { ...GOOD, 'points.txt': 'm v=1 1\nm v=' }, 'missing field value'],
    ['holds a point twice', { ...GOOD, 'points.txt': 'm v=1 1\nm v=2 1\n' }, 'after it was loaded'],
    ['has no policies', { ...GOOD, 'policies.tsv': 'autogen\t$(x)\t1\t1\ttrue\n' }, 'is not a retention policy'],
    ['is missing', { other: '' }, "has no file 'policies.tsv'"],
  ]
  test.each(broken)('keeps what it has when a snapshot %s', async (_, files, problem) => {
    const shop = database(shell, 'kept', { 1: HELLO })
    await shop.succeed('activate')
    await insert(shop, 2, 'kept')
    expect(await shop.restore(shop.handMade(files))).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(
        new RegExp(`${problem.replaceAll(/[()']/g, '.')}[^]*nothing is changed|${problem}`),
      ),
    })
    expect(words(shop)).toEqual(['Hello world', 'kept'])
    await shop.succeed('status', 'collect-garbage')
    expect(databases().filter((name) => name.startsWith('davit-'))).toEqual([])
  })

  test('completes a restore that the server did not', async () => {
    const shop = database(shell, 'half', { 1: HELLO })
    await shop.succeed('activate')
    const snapshot = await shop.snapshot()
    await insert(shop, 2, 'later')
    // The second import is the one that replaces the database.
    const count = join(shop.make('count'), 'n')
    const influx = `#!/bin/sh
case " $* " in *' -import '*)
  echo >>'${count}'
  [ "$(wc -l <'${count}')" != 2 ] || { echo 'no space left' >&2; exit 1; }
esac
exec /usr/bin/influx "$@"
`
    const properties = { DAVIT_SNAPSHOT: shop.copyOf(snapshot), influxdbBinDir: scratchPath({ influx }) }
    const { status, stderr } = await shop.call('restore', properties)
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/no space left\n[^]*the next activation or restoring goes on/),
    ])
    expect(await shop.call('status')).toMatchObject({ status: 1, stderr: expect.stringContaining('is unfinished') })
    expect(await shop.call('snapshot', { DAVIT_SNAPSHOT: shop.make('none') })).toMatchObject({ status: 1 })
    await shop.succeed('activate', 'status')
    expect(words(shop)).toEqual(['Hello world'])
    await shop.succeed('collect-garbage')
  })

  test('restores a backup of Dysnomia', async () => {
    const shop = database(shell, 'older', { 1: HELLO })
    await shop.succeed('activate')
    await insert(shop, 2, 'backed up')
    const snapshot = shop.make('backup')
    server.backup(shop.name, join(snapshot, 'dump'))
    await insert(shop, 3, 'later')
    expect(await shop.restore(snapshot)).toMatchObject({ status: 0, stderr: '' })
    expect(words(shop)).toEqual(['Hello world', 'backed up'])
    await shop.succeed('status', 'collect-garbage')
  })

  test('says where no server answers, and what it cannot use', async () => {
    const shop = database(shell, 'down', {})
    const { status, stderr } = await shop.call('activate', { influxdbHttpPort: '1', timeout: '0' })
    expect(status).toBe(1)
    expect(stderr).toMatch(/the server at 'localhost:1' does not answer: [^]*connection refused/)
    const other = database(shell, 'other', { 1: `# DML\n# CONTEXT-DATABASE: elsewhere\nm v=1 1\n` })
    expect((await other.call('activate')).stderr).toContain("writes to another database: 'elsewhere'")
    for (const name of ['_internal', 'a:b', 'a\\b']) {
      const odd = new Database(shell, 'influx-database', { name, properties: other.properties })
      expect(await odd.call('activate')).toMatchObject({ status: 1 })
    }
  })

  test('refuses to take a snapshot of a field of two types', async () => {
    const shop = database(shell, 'types', { 1: HELLO })
    await shop.succeed('activate')
    await server.write(shop.name, 'm v=1 1')
    await server.write(shop.name, `m v="x" ${30 * 86_400}000000000`)
    const { status, stderr } = await shop.call('snapshot', { DAVIT_SNAPSHOT: shop.make('none') })
    expect([status, stderr]).toEqual([1, expect.stringContaining("the field 'v' of 'm' is of several types")])
    await shop.succeed('collect-garbage')
  })

  test('makes the database of the example', async () => {
    const directory = scratchPath({})
    expect(spawnSync('sh', ['-e'], { cwd: directory, input: exampleOf('influx-database') }).status).toBe(0)
    const { properties, ...shop } = database(shell, 'unused', {})
    const scene = database(shell, shop.name, {})
    const argv = (activity: string) => [shippedModule('influx-database'), activity, join(directory, 'weather')]
    expect(await scene.run(argv('activate'), properties)).toMatchObject({ status: 0, stderr: '' })
    expect(server.query('SELECT celsius FROM weather.autogen.air')).toMatch(/air,.*,21.5\n/)
    expect(await scene.run(argv('collect-garbage'), properties)).toMatchObject({ status: 0 })
  })
})

/** A seed with its own database and policies, and values that are hard to keep. */
function everything(name: string): string {
  return String.raw`# DDL
CREATE DATABASE "${name}" WITH DURATION INF NAME "autogen"
CREATE RETENTION POLICY "one y" ON "${name}" DURATION INF REPLICATION 1 SHARD DURATION 1d
# DML
# CONTEXT-DATABASE: ${name}
# CONTEXT-RETENTION-POLICY: autogen
mix,t=x s="\"q\" \\ <&> ü],[{}:,",i=9007199254740993i,f=1.5,b=true 1
mix,t=x s="",i=-9223372036854775808i,f=-0.000000001,b=false 2
mix,t=y f=1e300 -62135596800000000
# CONTEXT-RETENTION-POLICY: one y
old value=1 3
`
}

/** The database of a test: names of different shells differ. */
function database(shell: Shell, name: string, seeds: Readonly<Record<string, string>>): Database {
  // busybox has no curl of its own.
  const curl = scratchPath({ curl: '#!/bin/sh\nexec /usr/bin/curl "$@"\n' })
  const path = shell.name === 'busybox' ? `${shell.path}:${curl}` : shell.path
  return new Database({ ...shell, path }, 'influx-database', {
    name: `${name}_${shell.name}`,
    seeds: Object.fromEntries(Object.entries(seeds).map(([file, text]) => [`influx-databases/${file}`, text])),
    properties: {
      influxdbHttpPort: `${server.port}`,
      influxdbBackupAddress: server.backupAddress,
      influxdbUsername: ADMIN.name,
      influxdbPassword: ADMIN.password,
      influxdbBinDir: '/usr/bin',
    },
  })
}

function words(shop: Database): readonly string[] {
  const rows = server
    .query(`SELECT word FROM "${shop.name.replaceAll('"', '\\"')}".autogen.hello`)
    .trim()
    .split('\n')
  return rows.map((row) => row.split(',')[2] ?? '')
}

function insert(shop: Database, id: number, word: string): Promise<void> {
  return server.write(shop.name, `hello,id=${id} word="${word}" ${id}`)
}

function databases(): readonly string[] {
  const rows = server.query('SHOW DATABASES').trim().split('\n')
  return rows.filter((row) => row !== '').map((row) => row.slice(row.indexOf(',') + 1))
}

/** What the module keeps for itself. */
function recordsOf(shop: Database): readonly string[] {
  return readdirSync(join(shop.directory, `run/influx-database/influx-database/${shop.name}`))
}
