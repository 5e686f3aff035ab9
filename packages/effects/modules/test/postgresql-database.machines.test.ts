import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive } from '@davit/testing/processes'
import type { Shell } from '@davit/testing/shells'
import { noSmallDisk, smallDisk } from '@davit/testing/small-disk'
import { until } from '@davit/testing/wait'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { POSTGRESQL } from './database-kinds.ts'
import { testDatabase } from './database-scenarios.ts'
import { Database } from './database.ts'
import { binDirectory, noPostgresql, type Postgresql, startPostgresql } from './postgresql.ts'
import { installedShells, scratchPath, shippedModule } from './scene.ts'

const shells = installedShells()
const inDepth = shells.filter((shell) => shell.inDepth)
let server: Postgresql

beforeAll(async () => {
  if (noPostgresql === undefined) server = await startPostgresql()
})
afterAll(() => server?.stop())

const HELLO = "CREATE TABLE hello (id INT PRIMARY KEY, word TEXT); INSERT INTO hello VALUES (1, 'Hello world');\n"

testDatabase(POSTGRESQL, shells, () => server)

describe.skipIf(noPostgresql).each(inDepth)('postgresql-database in depth', (shell) => {
  test('restores schemas, functions, large objects, extensions, settings, permissions, and any text', async () => {
    server.sql(`DROP ROLE IF EXISTS "the app"; CREATE ROLE "the app"`)
    const shop = database(shell, 'whole', {
      '1.sql': `${HELLO} SET search_path = nowhere; SET ROLE "the app";`,
      '2.sql': `CREATE SCHEMA extra; CREATE EXTENSION pg_trgm SCHEMA extra; CREATE SEQUENCE numbers START 5;
CREATE FUNCTION twice(n int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN RETURN 2 * n; END $$;`,
      '3.sql': `INSERT INTO hello VALUES (2, E'\\\\! touch bad\\n-- Dumped from\\n\\\\.\\n');
SELECT lo_from_bytea(0, 'large');
ALTER TABLE hello OWNER TO "the app"; CREATE VIEW extra.words AS SELECT word FROM hello;`,
    })
    await shop.succeed('activate')
    server.sql(`ALTER DATABASE ${shop.name} SET search_path = extra, public, "$user";
ALTER DATABASE ${shop.name} SET application_name = 'it''s';
ALTER ROLE "the app" IN DATABASE ${shop.name} SET work_mem = '1MB'; REVOKE CONNECT ON DATABASE ${shop.name} FROM PUBLIC;
GRANT TEMP ON DATABASE ${shop.name} TO "the app" WITH GRANT OPTION; COMMENT ON DATABASE ${shop.name} IS 'it''s
CREATE DATABASE'; ALTER DATABASE ${shop.name} CONNECTION LIMIT 9; ALTER DATABASE ${shop.name} SET my.own = '';`)
    const snapshot = await shop.snapshot()
    const settings = server.sql(`SELECT datacl FROM pg_database WHERE datname = '${shop.name}'`)
    await shop.succeed('collect-garbage', 'activate')
    expect(await shop.restore(snapshot)).toEqual({
      status: 0,
      stdout: expect.stringContaining('is restored'),
      stderr: '',
    })
    expect(filesIn(await shop.snapshot())).toEqual(filesIn(snapshot))
    expect(
      server.sql("SHOW search_path; SELECT twice(2), nextval('numbers'); SELECT count(*) FROM words", shop.name),
    ).toBe('extra, public, "$user"\n4|5\n2\n')
    expect(server.sql(`SELECT datacl FROM pg_database WHERE datname = '${shop.name}'`)).toBe(settings)
    await shop.succeed('status', 'collect-garbage')
  })

  const SLEEPING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"

  test('ends what an interrupted activation left running in the server', async () => {
    const shop = database(shell, 'orphan', { '1.sql': `${HELLO}; SELECT pg_sleep(1000);` })
    const module = shop.begin([shippedModule('postgresql-database'), 'activate', shop.component], shop.properties)
    await until(() => expect(server.sql(SLEEPING)).toBe('1\n'))
    module.kill('SIGKILL')
    await until(() => !isAlive(module.pid!))
    expect(await shop.call('status')).toMatchObject({ status: 1, stderr: expect.stringContaining('is unfinished') })
    shop.write(join(shop.component, 'postgresql-databases/1.sql'), HELLO)
    await shop.succeed('activate', 'status')
    expect(server.sql(SLEEPING)).toBe('0\n')
    expect(words(shop)).toBe('Hello world\n')
    await shop.succeed('collect-garbage')
  })

  test('names who uses a database that is to be dropped, but replaces it when it is restored', async () => {
    const shop = database(shell, 'used', { '1.sql': HELLO })
    await shop.succeed('activate')
    const snapshot = await shop.snapshot()
    const release = await server.use(shop.name, "SET application_name = 'report'; BEGIN; SELECT pg_backend_pid();")
    const { status, stderr } = await shop.call('collect-garbage')
    expect(status).toBe(1)
    const pid = server.sql(`SELECT pid FROM pg_stat_activity WHERE datname = '${shop.name}'`).trim()
    expect(stderr).toMatch(/accessed by other users\n/)
    expect(stderr).toContain(
      `postgresql-database: '${shop.name}' at ${where()} is in use. Wait until these are done, or end`,
    )
    expect(stderr).toMatch(
      new RegExp(
        `^process ${pid} of user 'postgres' at this machine, application 'report': idle in transaction, since 20.*\n` +
          `postgresql-database: cannot drop '${shop.name}' at ${where()}\n$`,
        'm',
      ),
    )
    expect(words(shop)).toBe('Hello world\n')
    expect(await shop.restore(snapshot)).toMatchObject({ status: 0, stderr: '' })
    await release()
    await shop.succeed('status', 'collect-garbage')
  })

  test('names whom it may see and what is prepared, and nobody if the reason is another one', async () => {
    server.sql(
      "DROP ROLE IF EXISTS small; CREATE ROLE small LOGIN CREATEDB PASSWORD 'secret'; DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN PASSWORD 'secret'",
    )
    const loginOf = (name: string) => ({ postgresqlUsername: name, postgresqlPassword: 'secret' })
    const shop = database(shell, 'prepared', { '1.sql': HELLO }, loginOf('small'))
    await shop.succeed('activate')
    const release = await server.use(shop.name, "SET application_name = 'report'; SELECT 1;")
    server.sql("BEGIN; CREATE TABLE other (id INT); PREPARE TRANSACTION 'it''s'", shop.name)
    const { stderr } = await shop.call('collect-garbage')
    expect(stderr).toMatch(
      /process \d+ of user 'postgres' at \(hidden\), application 'report': what it does is hidden from/,
    )
    expect(stderr).toMatch(/prepared transaction 'it''s' of user 'postgres' since 20.*\n.*cannot drop/)
    const refused = await shop.call('collect-garbage', loginOf('reader'))
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringMatching(/must be owner[^]*cannot drop/) })
    expect(refused.stderr).not.toContain('in use')
    await release()
    server.sql("ROLLBACK PREPARED 'it''s'", shop.name)
    await shop.succeed('status', 'collect-garbage')
  })

  test('says whose session keeps a database from being replaced', async () => {
    const shop = database(
      shell,
      'held',
      { '1.sql': HELLO },
      { postgresqlUsername: 'owner', postgresqlPassword: 'secret' },
    )
    server.sql("DROP ROLE IF EXISTS owner; CREATE ROLE owner LOGIN CREATEDB PASSWORD 'secret'")
    await shop.succeed('activate')
    const snapshot = await shop.snapshot()
    const release = await server.use(shop.name, 'SELECT 1;')
    const { status, stderr } = await shop.restore(snapshot)
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(
        /is in use[^]*process \d+ of user 'postgres'[^]*cannot restore 'held_\w+' at socket .*: nothing is changed/,
      ),
    ])
    expect(databases().filter((name) => name.startsWith('davit-'))).toEqual([])
    await release()
    await shop.succeed('status', 'collect-garbage')
  })

  test.skipIf(noSmallDisk)('leaves nothing of a database for which there is no space', async () => {
    const disk = smallDisk(8_000_000)
    onTestFinished(() => disk.remove())
    chmodSync(disk.directory, 0o777)
    chownSync(disk.directory, Number(spawnSync('id', ['-u', 'postgres'], { encoding: 'utf8' }).stdout), 0)
    server.sql(`CREATE TABLESPACE small LOCATION '${disk.directory}'`)
    const seed = `CREATE TABLE big (word TEXT) TABLESPACE small;
INSERT INTO big SELECT repeat('x', 1000) FROM generate_series(1, 100000);`
    const shop = database(shell, 'big', { '1.sql': seed })
    const { status, stderr } = await shop.call('activate')
    expect(status).toBe(1)
    expect(stderr).toMatch(
      /1.sql:2: ERROR: {2}could not extend file .*No space left[^]*cannot activate 'big.* it does not exist now/,
    )
    expect(stderr).toContain(where())
    expect(databases().filter((name) => name === shop.name || name.startsWith('davit-'))).toEqual([])
    shop.write(join(shop.component, 'postgresql-databases/1.sql'), `SET default_tablespace = small; ${HELLO}`)
    await shop.succeed('activate')
    const snapshot = await shop.snapshot()
    insert(shop, 2, 'kept')
    disk.fill()
    const restored = await shop.restore(snapshot)
    expect([restored.status, restored.stderr]).toEqual([
      1,
      expect.stringMatching(
        /ERROR: {2}could not extend file .*No space left[^]*cannot restore 'big.*: nothing is changed\n$/,
      ),
    ])
    expect(restored.stderr).toContain(where())
    expect(words(shop)).toBe('Hello world\nkept\n')
    expect(databases().filter((name) => name.startsWith('davit-'))).toEqual([])
    disk.free()
    expect(await shop.restore(snapshot)).toMatchObject({ status: 0, stderr: '' })
    expect(words(shop)).toBe('Hello world\n')
    await shop.succeed('status', 'collect-garbage')
    server.sql('DROP TABLESPACE small')
  })

  test('reaches a server by TCP', async () => {
    server.sql("DROP ROLE IF EXISTS remote; CREATE ROLE remote LOGIN CREATEDB PASSWORD 'secret'")
    const login = { postgresqlUsername: 'remote', postgresqlPassword: 'secret', postgresqlHost: '127.0.0.1' }
    const shop = database(shell, 'by tcp', { '1.sql': HELLO }, login)
    await shop.succeed('activate', 'status')
    expect(words(shop)).toBe('Hello world\n')
    const snapshot = await shop.snapshot()
    expect(filesIn(snapshot)['dump.sql']).not.toMatch(/^(\\(un)?restrict|-- Dumped) /m)
    expect(await shop.restore(snapshot)).toMatchObject({ status: 0, stderr: '' })
    await shop.succeed('collect-garbage')
    const { stderr } = await shop.call('activate', { postgresqlPassword: '' })
    expect(stderr).toContain(`the server at '127.0.0.1:${server.port}' refuses user 'remote'`)
  })

  test.each(['', '\\restrict abc\n'])('restores a dump of Dysnomia that begins with %j', async (beginning) => {
    const shop = database(shell, 'older', { '1.sql': HELLO })
    await shop.succeed('activate')
    const end = beginning.replace('restrict', 'unrestrict')
    const text = `--\n${beginning}${HELLO.replace('Hello world', 'dumped')}${end}`
    const dump = spawnSync('xz', ['-c'], { input: text }).stdout
    expect(await shop.restore(shop.handMade({ 'dump.pgsql.xz': dump }))).toMatchObject({ status: 0, stderr: '' })
    expect(words(shop)).toBe('dumped\n')
    await shop.succeed('collect-garbage')
  })

  test('restores what the server says in other words after each loading', async () => {
    const seed = `${HELLO} CREATE TABLE words (w varchar CHECK (w IN ('a', 'b'))); INSERT INTO words VALUES ('a');`
    const shop = database(shell, 'words', { '1.sql': seed })
    await shop.succeed('activate')
    const snapshot = await shop.snapshot()
    expect(await shop.restore(snapshot)).toMatchObject({ status: 0, stderr: '' })
    expect(filesIn(await shop.snapshot())['dump.sql']).not.toBe(filesIn(snapshot)['dump.sql'])
    await shop.succeed('collect-garbage')
  })

  test('keeps the database that was replaced, if there is no other one in its place', async () => {
    const shop = database(shell, 'aside', { '1.sql': HELLO })
    const digest = spawnSync('md5sum', { input: shop.name, encoding: 'utf8' }).stdout.slice(0, 32)
    await shop.succeed('activate')
    const snapshot = await shop.snapshot()
    server.sql(`ALTER DATABASE ${shop.name} RENAME TO "davit-old-${digest}"`)
    for (const { status, stderr } of [await shop.call('activate'), await shop.restore(snapshot)])
      expect([status, stderr]).toEqual([1, expect.stringContaining(`cannot drop 'davit-old-${digest}'`)])
    expect(server.sql('SELECT word FROM hello', `davit-old-${digest}`)).toBe('Hello world\n')
    expect(await shop.call('verify', { DAVIT_SNAPSHOT: snapshot })).toMatchObject({ status: 0, stderr: '' })
    await shop.succeed('collect-garbage')
    expect(databases().filter((name) => name.startsWith('davit-'))).toEqual([])
  })

  test('drops nothing that another activation has completed meanwhile', async () => {
    // Completes the database just before it would be dropped.
    const psql = `#!/bin/sh
case "$*" in
  *name=race_*) '${binDirectory}/psql' -X -h '${server.directory}' -p ${server.port} -d postgres -c 'COMMENT ON DATABASE race_${shell.name} IS NULL' >/dev/null ;;
esac
exec '${binDirectory}/psql' "$@"
`
    const others = ['pg_dump', 'pg_isready'].map((name) => [name, `#!/bin/sh\nexec '${binDirectory}/${name}' "$@"\n`])
    const path = scratchPath({ psql, ...Object.fromEntries(others) })
    chmodSync(path, 0o755)
    const shop = database(shell, 'race', { '1.sql': HELLO })
    await shop.succeed('activate')
    server.sql(`COMMENT ON DATABASE ${shop.name} IS 'davit: unfinished'`)
    expect(await shop.call('activate', { postgresqlBinDir: path })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('cannot drop what an interrupted activation left'),
    })
    expect(words(shop)).toBe('Hello world\n')
    await shop.succeed('activate', 'collect-garbage')
  })

  test('loads what other versions of pg_dump write, or refuses it by name', async () => {
    const shop = database(shell, 'versions', { '1.sql': HELLO })
    await shop.succeed('activate')
    const restore = (settings: string) =>
      shop.restore(shop.handMade({ 'dump.sql': `${settings}\n${HELLO.replace('Hello world', 'dumped')}` }))
    const usual = ['transaction_timeout = 0', 'default_with_oids = false', "future_thing = ''", 'summary = off']
    expect(await restore(usual.map((each) => `SET ${each};\n`).join(''))).toMatchObject({ status: 0, stderr: '' })
    expect(words(shop)).toBe('dumped\n')
    for (const each of ['default_with_oids = true', "future_thing = 'x'", 'transaction_timeout = 5']) {
      const { status, stderr } = await restore(`SET ${each};`)
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(/line 1 of 'dump\.sql' sets \w+, which this server does not have\n.*nothing is changed/),
      ])
    }
    await shop.succeed('collect-garbage')
  })

  test('leaves no database behind that subscriptions would keep', async () => {
    const shop = database(shell, 'subscribed', { '1.sql': HELLO }, { postgresqlTrustSnapshots: '1' })
    await shop.succeed('activate')
    server.sql(`CREATE SUBSCRIPTION s CONNECTION 'host=/nowhere' PUBLICATION x WITH (connect = false)`, shop.name)
    const snapshot = await shop.snapshot()
    expect(await shop.call('verify', { DAVIT_SNAPSHOT: snapshot })).toMatchObject({ status: 0, stderr: '' })
    expect(await shop.restore(snapshot)).toMatchObject({ status: 0, stderr: '' })
    expect(server.sql('SELECT subname, subenabled, subslotname FROM pg_subscription')).toBe('s|f|s\n')
    server.sql('ALTER SUBSCRIPTION s SET (slot_name = NONE); DROP SUBSCRIPTION s', shop.name)
    await shop.succeed('collect-garbage')
  })

  test('takes no name that the server would write otherwise', async () => {
    const latin = await startPostgresql({ encoding: 'LATIN1', locale: 'C' })
    onTestFinished(() => latin.stop())
    const there = { postgresqlRuntimeDir: latin.directory, postgresqlPort: `${latin.port}` }
    const { status, stderr } = await database(shell, 'früh', {}, there).call('activate')
    expect([status, stderr]).toEqual([1, expect.stringContaining('are in LATIN1, so this one must be ASCII')])
    expect(latin.sql('SELECT count(*) FROM pg_database')).toBe('3\n')
  })

  test('uses su where there is nothing better', async () => {
    const path = scratchPath({ setpriv: '#!/bin/sh\nexit 1\n' })
    const shop = database({ ...shell, path: `${path}:${shell.path}` }, 'su', { "it's.sql": HELLO })
    await shop.succeed('activate', 'status')
    expect(words(shop)).toBe('Hello world\n')
    const snapshot = await shop.snapshot()
    expect(await shop.restore(snapshot)).toMatchObject({ status: 0, stderr: '' })
    await shop.succeed('collect-garbage')
  })

  test('says which user of the machine is missing', async () => {
    const shop = database(shell, 'nobody', {}, { postgresqlUsername: 'no-such-user' })
    const { status, stderr } = await shop.call('activate')
    expect([status, stderr]).toEqual([1, expect.stringContaining("this machine has no user 'no-such-user'")])
  })

  test.each(['postgres', 'template1', 'x'.repeat(64)])('leaves %s alone', async (name) => {
    const properties = { postgresqlRuntimeDir: server.directory }
    const system = new Database(shell, 'postgresql-database', { name, properties })
    for (const activity of ['activate', 'collect-garbage']) {
      expect(await system.call(activity)).toMatchObject({ status: 1, stderr: expect.stringContaining(`'${name}' is`) })
    }
  })
})

/** The database of a test: names of different shells differ. */
function database(
  shell: Shell,
  name: string,
  seeds: Readonly<Record<string, string>>,
  properties: Readonly<Record<string, string>> = {},
): Database {
  return new Database(shell, 'postgresql-database', {
    name: `${name}_${shell.name}`,
    seeds: Object.fromEntries(Object.entries(seeds).map(([file, text]) => [`postgresql-databases/${file}`, text])),
    properties: {
      postgresqlRuntimeDir: server.directory,
      postgresqlPort: `${server.port}`,
      postgresqlBinDir: binDirectory,
      ...properties,
    },
  })
}

function where(): string {
  return `socket '${server.directory}/.s.PGSQL.${server.port}'`
}

function words(shop: Database): string {
  return server.sql('SELECT word FROM public.hello ORDER BY id', `dbname='${shop.name.replaceAll(/['\\]/g, '\\$&')}'`)
}

function insert(shop: Database, id: number, word: string): void {
  server.sql(`INSERT INTO hello VALUES (${id}, '${word}')`, `dbname='${shop.name.replaceAll(/['\\]/g, '\\$&')}'`)
}

function databases(): readonly string[] {
  return server.sql('SELECT datname FROM pg_database').trim().split('\n').toSorted()
}

function filesIn(snapshot: string): Readonly<Record<string, string>> {
  const names = ['create.sql', 'dump.sql', 'settings.sql']
  expect(readdirSync(snapshot)).toEqual(names)
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(snapshot, name), 'utf8')]))
}
