import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sampleOf } from '@davit/testing/effort'
import type { Shell } from '@davit/testing/shells'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { INFLUX } from './database-kinds.ts'
import { testDatabase } from './database-scenarios.ts'
import { Database, watchArguments } from './database.ts'
import { ADMIN, type Influxdb, noInfluxdb, startInfluxdb } from './influxdb.ts'
import { installedShells, scratchPath } from './scene.ts'
import { contentOf } from './stateful.ts'

const shells = installedShells()
const inDepth = shells.filter((shell) => shell.inDepth)
let server: Influxdb

beforeAll(async () => {
  if (noInfluxdb === undefined) server = await startInfluxdb()
})
afterAll(() => server?.stop())

const HELLO = '# DML\nhello,id=1 word="Hello world" 1\n'

testDatabase(INFLUX, shells, () => server)

// bash has the tools that print values in common with dash.
const different = sampleOf(
  shells.filter(({ name, inDepth: all }) => all || name !== 'bash'),
  1,
)

describe.skipIf(noInfluxdb).each(different)('influx-database under $name', (shell) => {
  test('keeps policies, queries, subscriptions, and values of all types', async () => {
    const shop = database(shell, 'all', { 1: everything(`all_${shell.name}`) })
    await shop.succeed('activate')
    await server.write(shop.name, 'lines text="two\n\n# lines" 8')
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
    const points = readFileSync(join(snapshot, 'points.txt'), 'utf8').replaceAll('\u0001', '?')
    expect(points).toBe(String.raw`# CONTEXT-RETENTION-POLICY: autogen
lines text="two?n?n# lines" 8
mix,t=x b=false,f=-1e-9,i=-9223372036854775808i,s="" 2
mix,t=x b=true,f=1.5,i=9007199254740993i,s="\"q\" \\ <&> ü],[{}:," 1
mix,t=y f=1e+300 -62135596800000000
odd\ \,m,a\ \,\=b=c\ \,\=d,e=f"\g f\ \,\="=1 7
# CONTEXT-RETENTION-POLICY: one y
old value=1 3
`)
    const before = server.query(`SHOW RETENTION POLICIES ON ${name}`)
    const argumentsSeen = watchArguments()
    expect(await shop.restore(snapshot)).toMatchObject({ status: 0, stderr: '' })
    expect(argumentsSeen()).not.toContain(ADMIN.password)
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
  test('drops a database that somebody writes to, who is told so', async () => {
    const shop = database(shell, 'written', { 1: HELLO })
    await shop.succeed('activate')
    const refusal = writeUntilRefused(shop)
    await shop.succeed('collect-garbage')
    expect(await refusal).toContain(`database not found: "${shop.name}"`)
    expect(server.query('SHOW DATABASES')).not.toContain(shop.name)
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

async function writeUntilRefused(shop: Database, id = 2): Promise<string> {
  const refusal = await insert(shop, id, 'more').catch(String)
  // While a database is being dropped, its server may also say that a part of it is closed.
  const isOver = refusal !== undefined && (refusal.includes('database not found') || id > 10_000)
  return isOver ? refusal : writeUntilRefused(shop, id + 1)
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
