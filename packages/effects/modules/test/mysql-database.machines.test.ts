import { spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sampleOf } from '@davit/testing/effort'
import { isAlive } from '@davit/testing/processes'
import type { Shell } from '@davit/testing/shells'
import { noSmallDisk, smallDisk } from '@davit/testing/small-disk'
import { until } from '@davit/testing/wait'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { MYSQL } from './database-kinds.ts'
import { testDatabase } from './database-scenarios.ts'
import { Database } from './database.ts'
import { type Mariadb, noMariadb, startMariadb } from './mariadb.ts'
import { installedShells, scratchPath, shippedModule } from './scene.ts'

const shells = installedShells()
const inDepth = shells.filter((shell) => shell.inDepth)
let server: Mariadb

beforeAll(async () => {
  if (noMariadb === undefined) server = await startMariadb()
})
afterAll(() => server?.stop())

const HELLO = "CREATE TABLE hello (id INT PRIMARY KEY, word TEXT); INSERT INTO hello VALUES (1, 'Hello world');"

testDatabase(MYSQL, shells, () => server)

describe.skipIf(noMariadb).each(inDepth)('mysql-database in depth', (shell) => {
  test('restores views, routines, events, triggers, sequences, the character set, and any bytes', async () => {
    const shop = database(shell, 'whole', {
      '1.sql': `ALTER DATABASE CHARACTER SET utf8mb4 COLLATE utf8mb4_swedish_ci; ${HELLO}
CREATE SEQUENCE numbers;
CREATE TABLE parts (id INT DEFAULT (NEXTVAL(numbers)), content LONGBLOB, hello INT REFERENCES hello (id));
CREATE VIEW words AS SELECT word FROM hello; CREATE FUNCTION twice(n INT) RETURNS INT RETURN 2 * n;
DELIMITER //
CREATE PROCEDURE p() BEGIN SELECT twice(2); END//
DELIMITER ;
CREATE EVENT e ON SCHEDULE EVERY 1 DAY STARTS '2030-01-01 00:00:00' DO DELETE FROM parts;`,
      '2.sql': "INSERT INTO parts (content) VALUES (0x00FF0D0A5C27), ('\\\\! touch bad\\n'), (REPEAT('x', 3000000));",
      '3.sql': 'CREATE TABLE `a``b\\c "\'$(d)` (id INT);',
    })
    await shop.succeed('activate')
    server.sql(`CREATE TRIGGER ${shop.name}.t BEFORE INSERT ON ${shop.name}.hello
FOR EACH ROW SET NEW.word = CONCAT(NEW.word, '!')`)
    const snapshot = await shop.snapshot()
    await shop.succeed('collect-garbage')
    expect(await shop.restore(snapshot)).toMatchObject({ status: 0, stderr: '' })
    expect(dumpIn(await shop.snapshot())).toBe(dumpIn(snapshot))
    insert(shop, 2, 'two')
    expect(server.sql('SELECT * FROM words; CALL p(); SHOW EVENTS; SELECT MD5(content) FROM parts', shop.name)).toMatch(
      /^Hello world\ntwo!\n4\n\S+\te\t/,
    )
    expect(server.sql('SELECT @@collation_database', shop.name)).toBe('utf8mb4_swedish_ci\n')
    await shop.succeed('collect-garbage')
  })

  test('leaves an empty database as it is, unless it was interrupted just when it had made it', async () => {
    const shop = database(shell, 'empty', { '1.sql': HELLO })
    server.sql(`CREATE DATABASE ${shop.name}`)
    await shop.succeed('activate', 'status')
    expect(server.sql('SHOW TABLES', shop.name)).toBe('')
    shop.write(join(shop.directory, `run/mysql-database/mysql-database/${shop.name}/replacing`), '')
    expect(await shop.call('status')).toMatchObject({ status: 1, stderr: expect.stringContaining('is unfinished') })
    await shop.succeed('activate', 'status')
    expect(words(shop)).toBe('Hello world\n')
    await shop.succeed('collect-garbage')
  })

  test('ends what an interrupted activation left running in the server', async () => {
    const shop = database(shell, 'orphan', {
      '1.sql': `${HELLO} SELECT SLEEP(1000);\nINSERT INTO hello VALUES (2, 'orphan');`,
    })
    const module = shop.begin([shippedModule('mysql-database'), 'activate', shop.component], shop.properties)
    await until(() => expect(server.sql('SHOW PROCESSLIST')).toContain('SLEEP(1000)'))
    module.kill('SIGKILL')
    await until(() => !isAlive(module.pid!))
    expect(await shop.call('status')).toMatchObject({ status: 1, stderr: expect.stringContaining('is unfinished') })
    shop.write(join(shop.component, 'mysql-databases/1.sql'), HELLO)
    await shop.succeed('activate')
    expect(server.sql('SHOW PROCESSLIST')).not.toContain('SLEEP(1000)')
    expect(words(shop)).toBe('Hello world\n')
    await shop.succeed('collect-garbage')
  })

  const USES = [
    [
      'has a table open in a transaction',
      'START TRANSACTION; SELECT id FROM hello;',
      /, in a transaction since 20.*: Sleep/,
    ],
    ['has locked a table', 'LOCK TABLES hello READ; SELECT 1;', /: Sleep for \d+ s\n/],
  ] as const

  test.each(USES)('names who %s of a database that is to be dropped', async (_, statements, does) => {
    const shop = database(shell, 'used', { '1.sql': HELLO }, { timeout: '0' })
    await shop.succeed('activate')
    const snapshot = await shop.snapshot()
    for (const selected of sampleOf([shop.name, 'mysql'], 1)) {
      const release = await server.use(selected, statements.replace('hello', `${shop.name}.hello`))
      const session = server.sql(`SELECT MAX(ID) FROM information_schema.PROCESSLIST WHERE DB = '${selected}'
AND ID <> CONNECTION_ID() AND COMMAND = 'Sleep'`)
      for (const activity of ['collect-garbage', 'restore']) {
        const { status, stderr } = await shop.call(activity, { DAVIT_SNAPSHOT: shop.copyOf(snapshot) })
        expect([status, stderr]).toEqual([1, expect.stringContaining('ERROR 1205')])
        const [, heading, users = ''] =
          /^(mysql-database: .*)\n((?:session .*\n)+)mysql-database: cannot/m.exec(stderr) ?? []
        expect(heading).toBe(
          `mysql-database: '${shop.name}' at socket '${server.socket}' is in use. These sessions may use it: wait until they are ` +
            'done, or end them with KILL and their number',
        )
        const user = `session ${session.trim()} of user 'root' at 'localhost', database '${selected}'`
        expect(users.slice(users.indexOf(user), -1)).toContain(user)
        expect(users).toMatch(does)
        expect(stderr).toContain(activity === 'restore' ? 'nothing is changed' : `cannot drop '${shop.name}' at socket`)
      }
      expect(words(shop)).toBe('Hello world\n')
      await release()
    }
    await shop.succeed('status', 'collect-garbage')
  })

  test('waits only so long for a table that somebody has locked, before it takes a snapshot', async () => {
    const shop = database(shell, 'locked', { '1.sql': HELLO }, { timeout: '0' })
    await shop.succeed('activate')
    const snapshot = await shop.snapshot()
    const release = await server.use(shop.name, 'LOCK TABLES hello WRITE; SELECT 1;')
    for (const activity of ['snapshot', 'restore']) {
      const { status, stderr } = await shop.call(activity, { DAVIT_SNAPSHOT: shop.copyOf(snapshot) })
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(
          /ERROR 1205 [^]*is in use.*\nsession \d+ .*\n[^]*: cannot (take a snapshot of|restore) 'locked/,
        ),
      ])
    }
    await release()
    await shop.succeed('status', 'collect-garbage')
  })

  test('says that it may not see who uses a database', async () => {
    const login = { mysqlUsername: 'small', mysqlPassword: 'secret', timeout: '0' }
    const shop = database(shell, 'hidden', { '1.sql': HELLO }, login)
    server.sql(
      `CREATE OR REPLACE USER small@localhost IDENTIFIED BY 'secret'; GRANT ALL ON ${shop.name}.* TO small@localhost`,
    )
    await shop.succeed('activate')
    const release = await server.use(shop.name, 'LOCK TABLES hello READ; SELECT 1;')
    const { status, stderr } = await shop.call('collect-garbage')
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(
        /is in use[^]*user 'small' sees no sessions of others, since that takes the privilege PROCESS\n.*cannot/,
      ),
    ])
    expect(stderr).not.toContain('session ')
    await release()
    await shop.succeed('status', 'collect-garbage')
  })

  test('names nobody if a database cannot be dropped for another reason', async () => {
    const login = { mysqlUsername: 'reader', mysqlPassword: 'secret' }
    const shop = database(shell, 'other', { '1.sql': HELLO })
    await shop.succeed('activate')
    server.sql("CREATE OR REPLACE USER reader@localhost IDENTIFIED BY 'secret'")
    const { status, stderr } = await shop.call('collect-garbage', login)
    expect([status, stderr]).toEqual([1, expect.stringMatching(/ERROR 1044 [^]*cannot drop/)])
    expect(stderr).not.toContain('in use')
    await shop.succeed('collect-garbage')
  })

  test('leaves nothing of a database for which there is no space', async () => {
    const table = 'SET max_heap_table_size = 16384; CREATE TABLE big (word CHAR(200)) ENGINE = MEMORY;'
    const seed = `${table}\nINSERT INTO big SELECT REPEAT('x', 200) FROM seq_1_to_100000;`
    const shop = database(shell, 'big', { '1.sql': seed })
    const { status, stderr } = await shop.call('activate')
    expect(status).toBe(1)
    expect(stderr).toMatch(
      /ERROR 1114 .* line 2: The table 'big' is full\n.*1.sql'\n.*cannot activate 'big.* it does not exist now/,
    )
    expect(exists(shop.name)).toBe(false)
  })

  test.skipIf(noSmallDisk)('makes nothing, and keeps what there was, when the disk of the server is full', async () => {
    const disk = smallDisk(24_000_000)
    onTestFinished(() => disk.remove())
    chmodSync(disk.directory, 0o777)
    const table = `CREATE TABLE hello (id INT PRIMARY KEY, word TEXT) DATA DIRECTORY = '${disk.directory}';`
    const fill = "INSERT INTO hello SELECT seq, REPEAT('x', 1000) FROM seq_2_to_"
    const shop = database(shell, 'full', { '1.sql': `${table} ${fill}30000;` })
    const { status, stderr } = await shop.call('activate')
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(
        /ERROR 1114 .*: The table 'hello' is full\n.*1.sql'\n.*cannot activate 'full.* it does not exist now/,
      ),
    ])
    expect(stderr).toContain(`at socket '${server.socket}'`)
    expect(exists(shop.name)).toBe(false)
    shop.write(join(shop.component, 'mysql-databases/1.sql'), `${table} ${fill}3000;`)
    await shop.succeed('activate')
    const large = await shop.snapshot()
    server.sql("TRUNCATE TABLE hello; INSERT INTO hello VALUES (1, 'kept')", shop.name)
    disk.fill(300_000)
    const restored = await shop.restore(large)
    expect(restored.status).toBe(1)
    // Where it checks rows only at the end, MariaDB says 1180.
    expect(restored.stderr.slice(-500)).toMatch(/ERROR 1(114|180) .*\n.*cannot restore 'full.*: nothing is changed\n$/)
    expect(words(shop)).toBe('kept\n')
    await shop.succeed('status')
    disk.free()
    expect(await shop.restore(large)).toMatchObject({ status: 0, stderr: '' })
    expect(server.sql('SELECT COUNT(*) FROM hello', shop.name)).toBe('2999\n')
    await shop.succeed('status', 'collect-garbage')
  })

  test.skipIf(noSmallDisk)('restores nothing when what there is cannot be kept meanwhile', async () => {
    const disk = smallDisk(100_000)
    onTestFinished(() => disk.remove())
    const shop = database(shell, 'kept', { '1.sql': HELLO })
    await shop.succeed('activate')
    const snapshot = await shop.snapshot()
    insert(shop, 2, 'x'.repeat(60_000))
    disk.fill(16_384)
    const files = { DAVIT_RUN_DIR: disk.directory, DAVIT_SNAPSHOT: snapshot }
    const { status, stderr } = await shop.call('restore', files)
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/cannot keep the present content[^]*nothing is changed/),
    ])
    expect(words(shop)).toContain('xxx')
    expect(await shop.call('status', files)).toMatchObject({ status: 0 })
    disk.free()
    expect(await shop.call('restore', files)).toMatchObject({ status: 0, stderr: '' })
    expect(words(shop)).toBe('Hello world\n')
    await shop.succeed('collect-garbage')
  })

  test('reaches a server by TCP', async () => {
    server.sql("GRANT ALL ON *.* TO remote@localhost IDENTIFIED BY 'secret'")
    const login = { mysqlUsername: 'remote', mysqlPassword: 'secret', mysqlPort: `${server.port}` }
    const shop = new Database(shell, 'mysql-database', { name: 'by tcp', properties: login })
    await shop.succeed('activate', 'status')
    expect(exists('by tcp')).toBe(true)
    expect(await shop.restore(await shop.snapshot())).toMatchObject({ status: 0, stderr: '' })
    await shop.succeed('collect-garbage')
    const { stderr } = await shop.call('activate', { mysqlHost: 'localhost', mysqlPassword: '' })
    expect(stderr).toContain(`the server at 'localhost:${server.port}' refuses user 'remote': ERROR 1045`)
  })

  test('restores a dump of Dysnomia, made by newer programs', async () => {
    const shop = database(shell, 'older', { '1.sql': HELLO })
    await shop.succeed('activate')
    const text = `/*M!999999\\- enable the sandbox mode */ \n-- comment\n${HELLO.replace('Hello world', 'dumped')}\n`
    const dump = spawnSync('xz', ['-c'], { input: text }).stdout
    expect(await shop.restore(shop.handMade({ 'dump.sql.xz': dump }))).toMatchObject({ status: 0, stderr: '' })
    expect(words(shop)).toBe('dumped\n')
    expect(dumpIn(await shop.snapshot())).not.toContain('sandbox')
    await shop.succeed('collect-garbage')
  })

  test.each(['mysql', 'SYS', 'information_schema'])('leaves %s alone', async (name) => {
    const system = new Database(shell, 'mysql-database', { name })
    for (const activity of ['activate', 'collect-garbage']) {
      const { status, stderr } = await system.call(activity, { mysqlSocket: server.socket })
      expect([status, stderr]).toEqual([1, expect.stringContaining('a database of the server itself')])
    }
  })

  test('gives programs of MySQL the options that only they have', async () => {
    const mysqldump = '#!/bin/sh\ncase $1 in --version) echo "mysqldump Ver 8.0.36" ;; *) printf "%s\\n" "$@" ;; esac\n'
    const path = scratchPath({ mysqldump, mysql: '#!/bin/sh\nexec /usr/bin/mariadb "$@"\n' })
    const shop = database(shell, 'mysql8', { '1.sql': HELLO }, { mysqlBinDir: path })
    await shop.succeed('activate')
    const dump = dumpIn(await shop.snapshot())
    expect(dump.split('\n')).toEqual(
      expect.arrayContaining(['--set-gtid-purged=OFF', '--column-statistics=0', shop.name]),
    )
    await shop.succeed('collect-garbage')
  })
})

/** The database of a test: names of different shells differ. */
function database(
  shell: Shell,
  name: string,
  seeds: Readonly<Record<string, string>>,
  properties: Readonly<Record<string, string>> = {},
): Database {
  return new Database(shell, 'mysql-database', {
    name: `${name}_${shell.name}`,
    seeds: Object.fromEntries(Object.entries(seeds).map(([file, text]) => [`mysql-databases/${file}`, text])),
    properties: {
      mysqlSocket: server.socket,
      ...(shell.name === 'busybox' ? { mysqlBinDir: '/usr/bin' } : {}),
      ...properties,
    },
  })
}

function words(shop: Database): string {
  return server.sql('SELECT word FROM hello ORDER BY id', shop.name)
}

function insert(shop: Database, id: number, word: string): void {
  server.sql(`INSERT INTO hello VALUES (${id}, '${word}')`, shop.name)
}

function exists(name: string): boolean {
  return server.sql('SHOW DATABASES').split('\n').includes(name.replaceAll('\\', '\\\\'))
}

function dumpIn(snapshot: string): string {
  expect(readdirSync(snapshot)).toEqual(['dump.sql'])
  return readFileSync(join(snapshot, 'dump.sql'), 'latin1')
}
