import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Shell } from '@davit/testing/shells'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { Database } from './database.ts'
import { ADMIN, type Influxdb, noInfluxdb, startInfluxdb } from './influxdb.ts'
import { installedShells } from './scene.ts'

// bash has the tools that read snapshots in common with dash.
const shells = installedShells().filter(({ name, inDepth }) => inDepth || name !== 'bash')
let server: Influxdb

beforeAll(async () => {
  if (noInfluxdb !== undefined) return
  server = await startInfluxdb()
  server.query('CREATE DATABASE victim')
  await server.write('victim', 'm v=1 1')
})
afterAll(() => server?.stop())

const POLICIES = 'autogen\t0s\t168h0m0s\t1\ttrue\n'
const QUERY = 'CREATE CONTINUOUS QUERY q ON shop BEGIN SELECT mean(v) INTO shop.autogen.n FROM shop.autogen.m'
const ENDING = 'GROUP BY time(1h) END'

const STATEMENTS: readonly string[] = [
  'DROP DATABASE victim',
  `CREATE USER evil WITH PASSWORD 'x' WITH ALL PRIVILEGES`,
  'GRANT ALL ON victim TO reader',
  `SET PASSWORD FOR admin = 'x'`,
  'ALTER RETENTION POLICY autogen ON victim DURATION 1h',
  'CREATE RETENTION POLICY p ON victim DURATION 1h REPLICATION 1',
  'SELECT * INTO shop..stolen FROM victim..m',
  'DELETE FROM m',
  'KILL QUERY 1',
  QUERY.replace('ON shop', 'ON victim'),
  `${QUERY.replace('INTO shop.', 'INTO victim.')} ${ENDING}`,
  `${QUERY.replace('INTO shop.', 'INTO "victim".')} ${ENDING}`,
  `${QUERY.replace('INTO shop.autogen.', 'INTO victim..')} ${ENDING}`,
  `${QUERY.replace('INTO shop.autogen.n', 'INTO victim.autogen.:MEASUREMENT')} ${ENDING}`,
  `${QUERY.replace('FROM shop.', 'FROM victim.')} ${ENDING}`,
  `${QUERY.replace('FROM shop.autogen.m', 'FROM shop.autogen.m, victim.autogen.m')} ${ENDING}`,
  `${QUERY.replace('FROM shop.autogen.m', 'FROM victim.autogen./m/')} ${ENDING}`,
  `${QUERY.replace('FROM shop.autogen.m', 'FROM (SELECT v FROM victim..m)')} ${ENDING}`,
  `${QUERY.replace('FROM shop.autogen.m', 'FROM "vic\\"tim"..m')} ${ENDING}`,
  `${QUERY.replace('shop.autogen.n', "/* ' */ victim..n /* ' */")} ${ENDING}`,
  `${QUERY.replace('shop.autogen.n', "n -- '")} ${ENDING}`,
  `${QUERY} ${ENDING}; DROP DATABASE victim`,
  `${QUERY} ${ENDING} DROP DATABASE victim`,
  `CREATE SUBSCRIPTION s ON victim.autogen DESTINATIONS ALL 'udp://127.0.0.1:9'`,
  `CREATE SUBSCRIPTION s ON "victim"."autogen" DESTINATIONS ALL 'udp://127.0.0.1:9'`,
  `CREATE SUBSCRIPTION s ON shop.autogen DESTINATIONS ALL 'udp://127.0.0.1:9'; DROP DATABASE victim`,
  'use victim',
  'connect elsewhere:8086',
  'x'.repeat(30_000),
]

const POINTS: readonly string[] = [
  '# CONTEXT-RETENTION-POLICY: autogen\n# CONTEXT-DATABASE: victim\nm v=666 2\n',
  '# CONTEXT-DATABASE:victim\nm v=666 2\n',
  '# CONTEXT-DATABASE: victim\u0001a\nm v=666 2\n',
  '# DDL\nDROP DATABASE victim\n# DML\n',
  '# CONTEXT-RETENTION-POLICY: other\nm v=1 1\n',
  '# CONTEXT-RETENTION-POLICY: autogen\r\nm v=1 1\n',
  '#\n',
]

const POLICY_LINES: readonly string[] = [
  'a\t0s\t1h; DROP DATABASE victim\t1\ttrue\n',
  'a\t0s\t168h0m0s\t1; DROP DATABASE victim\ttrue\n',
  'a\t0s\t168h0m0s\t1\ttrue; DROP DATABASE victim\n',
  '\t0s\t168h0m0s\t1\ttrue\n',
  'a\n',
]

describe.skipIf(noInfluxdb).each(shells)('influx-database under $name', (shell) => {
  const hostile = [
    ...STATEMENTS.map((text) => ['statements.txt', `${text}\n`] as const),
    ...POINTS.map((text) => ['points.txt', text] as const),
    ...POLICY_LINES.map((text) => ['policies.tsv', text] as const),
  ]

  test('writes nothing of a snapshot that is not data', async () => {
    const shop = database(shell)
    await shop.succeed('activate')
    const before = await everything(shop)
    for (const [file, text] of hostile) {
      const files = { 'policies.tsv': POLICIES, 'statements.txt': '', 'points.txt': '', [file]: text }
      const { status, stderr } = await shop.restore(shop.handMade(files))
      expect([text, status, stderr]).toEqual([
        text,
        1,
        expect.stringMatching(
          new RegExp(`^influx-database: line [12] of '${file}' (is|concerns) [^]*nothing is changed\n$`),
        ),
      ])
    }
    expect(await everything(shop)).toBe(before)
    await shop.succeed('collect-garbage')
  })

  test.each(['points.txt', 'other'])('does not follow a link %s in a snapshot', async (name) => {
    const shop = database(shell)
    const snapshot = shop.handMade({ 'policies.tsv': POLICIES, 'statements.txt': '', 'points.txt': '' })
    const secret = join(shop.directory, 'secret')
    writeFileSync(secret, 'root:secret')
    if (name === 'other') symlinkSync(secret, join(snapshot, name))
    else symlinkSync(secret, join(shop.make('linked'), name))
    const given = name === 'other' ? snapshot : join(shop.directory, 'linked')
    const { status, stderr } = await shop.restore(given)
    expect([status, stderr]).toEqual([1, expect.stringContaining('is neither a file nor a directory')])
    expect(stderr).not.toContain('root:secret')
  })

  test('keeps queries that davit writes, whatever they are named', async () => {
    const shop = database(shell)
    await shop.succeed('activate')
    await server.write('shop', 'm,t=x v=1 1')
    for (const query of [
      String.raw`CREATE CONTINUOUS QUERY "a \"b\" -- /* END" ON shop RESAMPLE EVERY 2h FOR 1d BEGIN SELECT mean(v) - 1.5 / 2 INTO "shop"."autogen"."n.o p" FROM (SELECT v FROM m WHERE t =~ /x.y.z/ AND t != 'it\'s') GROUP BY time(1h), * END`,
      'CREATE CONTINUOUS QUERY q2 ON shop BEGIN SELECT max(v) INTO shop.autogen.:MEASUREMENT FROM /.*/ WHERE v > -1 GROUP BY time(90m), /t/ fill(none) END',
    ])
      server.query(query)
    const snapshot = await shop.snapshot()
    const before = server.query('SHOW CONTINUOUS QUERIES')
    expect(await shop.restore(snapshot)).toMatchObject({ status: 0, stderr: '' })
    expect(server.query('SHOW CONTINUOUS QUERIES')).toBe(before)
    await shop.succeed('collect-garbage')
  })
})

/** What a hostile snapshot could have changed. */
async function everything(shop: Database): Promise<string> {
  const statements = ['SHOW DATABASES', 'SHOW USERS', 'SHOW CONTINUOUS QUERIES', 'SHOW SUBSCRIPTIONS']
  const text = statements.map((statement) => server.query(statement)).join('')
  expect(await shop.call('status')).toMatchObject({ status: 0 })
  return text + server.query('SELECT * FROM victim.autogen.m') + server.query('SHOW RETENTION POLICIES ON victim')
}

function database(shell: Shell): Database {
  return new Database(shell, 'influx-database', {
    name: 'shop',
    properties: {
      influxdbHttpPort: `${server.port}`,
      influxdbUsername: ADMIN.name,
      influxdbPassword: ADMIN.password,
      influxdbBinDir: '/usr/bin',
    },
  })
}
