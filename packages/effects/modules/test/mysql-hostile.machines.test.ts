import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chosen, isThorough, sampleOf } from '@davit/testing/effort'
import type { Shell } from '@davit/testing/shells'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { Database } from './database.ts'
import { type Mariadb, noMariadb, startMariadb } from './mariadb.ts'
import { installedShells, scratchPath } from './scene.ts'

const inDepth = installedShells().filter((shell) => shell.inDepth)
let server: Mariadb

beforeAll(async () => {
  if (noMariadb !== undefined) return
  server = await startMariadb()
  server.sql(`CREATE DATABASE victim; CREATE TABLE victim.t (word TEXT); INSERT INTO victim.t VALUES ('safe');
GRANT ALL ON *.* TO wide@localhost IDENTIFIED BY 'x'; CREATE USER narrow@localhost IDENTIFIED BY 'x'`)
})
afterAll(() => server?.stop())

const TABLE = 'CREATE TABLE t (id INT, word TEXT);\n'
const BODY = 'BEGIN\n  INSERT INTO victim.t VALUES (1);\nEND'

/** What the server refuses to the account that loads. */
const RUN: readonly string[] = [
  'INSERT INTO victim.t VALUES (1);\n',
  'CREATE TABLE t SELECT * FROM victim.t;\n',
  'CREATE TABLE t SELECT * FROM mysql.global_priv;\n',
  'CREATE TABLE victim.evil (id INT);\n',
  'DROP TABLE victim.t;\n',
  'ALTER DATABASE victim CHARACTER SET latin1;\n',
  'CREATE VIEW v AS SELECT * FROM victim.t;\n',
  'CREATE VIEW victim.v AS SELECT 1;\n',
  `${TABLE}DELIMITER ;;\nCREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW ${BODY};;\nDELIMITER ;\nINSERT INTO t VALUES (1, 'x');\n`,
  `DELIMITER ;;\nCREATE FUNCTION f() RETURNS INT ${BODY.replace('END', 'RETURN 1; END')};;\nDELIMITER ;\nSELECT f();\n`,
  `CREATE DEFINER = 'root'@'localhost' FUNCTION f() RETURNS INT RETURN 1;\n`,
  'CREATE DEFINER="root"@`localhost` VIEW v AS SELECT 1;\n',
  'SET SESSION sql_log_bin = 0;\n',
  'SET SESSION binlog_format = ROW; SET ROLE admin;\n',
  'ALTER TABLE mysql.db ENGINE = InnoDB;\n',
  'RENAME TABLE victim.t TO t;\n',
  'TRUNCATE TABLE victim.t;\n',
  'LOCK TABLES victim.t WRITE;\n',
]

describe.skipIf(noMariadb).each(inDepth)('mysql-database under $name', (shell) => {
  test('lets a snapshot do nothing but fill its database', async () => {
    const shop = await database(shell, 'run_%')
    const before = everything(shop)
    for (const text of sampleOf(RUN, 6)) {
      const { status, stderr } = await restoreDump(shop, text)
      expect([text, status, stderr]).toEqual([
        text,
        1,
        expect.stringMatching(/(it holds what it held before|nothing is changed)\n$/),
      ])
      expect(everything(shop)).toBe(before)
    }
    await shop.succeed('collect-garbage')
  })

  test('refuses before it writes anything', async () => {
    const shop = await database(shell, 'read')
    const before = everything(shop)
    for (const text of [
      '\\! touch PWNED\n',
      `${TABLE}GRANT ALL ON *.* TO evil;\n`,
      "SELECT 1 INTO OUTFILE 'PWNED';\n",
    ]) {
      const { status, stderr } = await restoreDump(shop, text)
      expect([text, status, stderr]).toEqual([
        text,
        1,
        expect.stringMatching(/line \d of 'dump\.sql' .*\n.*nothing is changed\n$/),
      ])
    }
    expect(everything(shop)).toBe(before)
    await shop.succeed('collect-garbage')
  })

  test.each(['wide', 'narrow'])('loads as %s, who cannot make an account', async (user) => {
    server.sql(`GRANT ALL ON \`account\\_${user}\`.* TO narrow@localhost`)
    const shop = await database(shell, `account_${user}`, { mysqlUsername: user, mysqlPassword: 'x' })
    const refused = await restoreDump(shop, 'INSERT INTO nowhere VALUES (1);\n')
    server.sql(/GRANT ALL ON `davit-try-.*$/m.exec(refused.stderr)?.[0] ?? 'SELECT 1')
    const before = everything(shop)
    for (const text of ['INSERT INTO `victim`.`t` VALUES (1);\n', 'CREATE TABLE t SELECT * FROM victim.t;\n']) {
      const { status, stderr } = await restoreDump(shop, text)
      expect([text, status, stderr]).toEqual([
        text,
        1,
        expect.stringMatching(user === 'wide' ? /names another/ : /ERROR 1142/),
      ])
      expect(everything(shop)).toBe(before)
    }
    const definer = 'CREATE DEFINER=`root`@`localhost` VIEW kept AS SELECT 1;\n'
    expect(await restoreDump(shop, definer)).toMatchObject({ status: 0, stderr: '' })
    await shop.succeed('collect-garbage')
  })

  test('gives what it brings to an account of the database, as long as there is something', async () => {
    const shop = await database(shell, 'definer')
    const body = `CREATE DEFINER=\`root\`@\`localhost\` PROCEDURE steal() BEGIN INSERT INTO victim.t VALUES ('x'); END;;
CREATE DEFINER=\`root\`@\`localhost\` FUNCTION f() RETURNS INT RETURN (SELECT COUNT(*) FROM kept) ;;`
    const text = `CREATE TABLE kept (word TEXT);\n${TABLE}DELIMITER ;;\n${body}\nDELIMITER ;\n`
    expect(await restoreDump(shop, text)).toMatchObject({ status: 0, stderr: '' })
    expect(() => server.sql('CALL steal()', shop.name)).toThrow(/denied to user 'davit-/)
    expect(server.sql('SELECT f()', shop.name)).toBe('0\n')
    expect(accounts()).toMatch(/^davit-\w{24}\tlocalhost\n$/)
    const snapshot = await shop.snapshot()
    expect(readFileSync(join(snapshot, 'dump.sql'), 'utf8')).toContain('CREATE DEFINER=`root`@`localhost` PROCEDURE')
    expect(await restoreDump(shop, 'INSERT INTO nowhere VALUES (1);\n')).toMatchObject({ status: 1 })
    expect(server.sql('SELECT f()', shop.name)).toBe('0\n')
    expect(await restoreDump(shop, `${TABLE}SET PASSWORD = PASSWORD('known');\n`)).toMatchObject({ status: 1 })
    expect(await restoreDump(shop, 'CREATE TABLE kept (word TEXT);\n')).toMatchObject({ status: 0 })
    expect(accounts()).toBe('')
    expect(await shop.restore(snapshot)).toMatchObject({ status: 0 })
    expect(accounts()).not.toBe('')
    await shop.succeed('collect-garbage')
    expect(accounts()).toBe('')
  })

  test('leaves no account behind when it is killed', async () => {
    const shop = await database(shell, 'killed')
    const snapshot = await shop.snapshot()
    const step = isThorough ? 1 : 8
    for (let n = 8 + chosen(step, 'calls of a hostile server'); n < 40; n += step) {
      await shop.killed('restore', n, { DAVIT_SNAPSHOT: shop.copyOf(snapshot) })
      await shop.succeed('activate', 'status')
      expect([n, accounts()]).toEqual([n, ''])
    }
    await shop.succeed('collect-garbage')
  })

  test('trusts a snapshot if it may', async () => {
    const shop = await database(shell, 'trusted', { mysqlTrustSnapshots: '1' })
    const text = 'CREATE DEFINER=`root`@`localhost` VIEW kept AS SELECT * FROM victim.t;\n'
    expect(await restoreDump(shop, text)).toMatchObject({ status: 0, stderr: '' })
    expect(server.sql('SELECT * FROM kept', shop.name)).toBe('safe\n')
    const { status } = await restoreDump(shop, '\\! touch PWNED\n')
    expect([status, existsSync(join(shop.directory, 'PWNED'))]).toEqual([1, false])
    await shop.succeed('collect-garbage')
  })

  test('starts the client closed, and keeps for nobody else what was there before', async () => {
    const shop = await database(shell, 'private')
    const log = join(shop.directory, 'calls')
    const before = join(shop.directory, 'run/mysql-database/mysql-database', shop.name)
    const mariadb = `#!/bin/sh
case "$*" in *--binary-mode*) { echo "$@"; echo "$MYSQL_PWD"; stat -c %a '${before}' '${before}/before.sql'; } >>'${log}' ;; esac
exec /usr/bin/mariadb "$@"
`
    const path = scratchPath({ mariadb, 'mariadb-dump': '#!/bin/sh\nexec /usr/bin/mariadb-dump "$@"\n' })
    chmodSync(path, 0o755)
    const text = 'CREATE FUNCTION f() RETURNS INT RETURN 1;\nCREATE TABLE kept (word TEXT);\n'
    const given = { mysqlBinDir: path, DAVIT_SNAPSHOT: shop.handMade({ 'dump.sql': text }) }
    const umask = process.umask(0)
    const restored = await shop.call('restore', given).finally(() => process.umask(umask))
    expect(restored).toMatchObject({ status: 0, stderr: '' })
    const [call = '', password = '', ...modes] = readFileSync(log, 'utf8').trim().split('\n').slice(-4)
    expect(call.split(' ')).toEqual(expect.arrayContaining(['--sandbox', '--binary-mode', '--local-infile=0']))
    expect(call).toMatch(/--user=davit-\w{24} /)
    expect(modes).toEqual(['700', '600'])
    // Whoever has seen the password cannot use it afterwards.
    const login = ['--no-defaults', `--socket=${server.socket}`, /--user=\S+/.exec(call)?.[0] ?? '', '-e', 'SELECT 1']
    const { stderr } = spawnSync('mariadb', login, { env: { ...process.env, MYSQL_PWD: password }, encoding: 'utf8' })
    expect(stderr).toMatch(/^ERROR 1045 .*Access denied for user 'davit-/)
    await shop.succeed('collect-garbage')
  })

  test('shows neither what a link points to nor what is in a row', async () => {
    const shop = await database(shell, 'hidden')
    const secret = join(shop.directory, 'secret')
    writeFileSync(secret, 'root:secret')
    symlinkSync(secret, join(shop.make('linked'), 'dump.sql'))
    const linked = await shop.restore(join(shop.directory, 'linked'))
    expect(linked).toMatchObject({ status: 1, stderr: expect.stringContaining('is neither a file nor a directory') })
    const failing = [
      "CREATE TABLE t (id INT PRIMARY KEY, w VARCHAR(99) UNIQUE);\nINSERT INTO t VALUES (1, 'secret'), (2, 'secret');\n",
      "CREATE TABLE t (id INT);\nINSERT INTO t VALUES ('secret');\n",
      "INSERT INTO t VALUES ('a' 'secret';\n",
    ]
    for (const text of failing) {
      const { status, stderr } = await restoreDump(shop, text)
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(/^ERROR \d+ \(\w+\) at line [12]: .*\n.*nothing is changed/),
      ])
      expect(stderr + linked.stderr).not.toMatch(/'secret'|root:secret/)
    }
    await shop.succeed('collect-garbage')
  })
})

function accounts(): string {
  return server.sql("SELECT User, Host FROM mysql.user WHERE User LIKE 'davit-%'")
}

/** What a hostile snapshot could have changed. */
function everything(shop: Database): string {
  expect(existsSync(join(shop.directory, 'PWNED'))).toBe(false)
  const shared = `SHOW DATABASES; SELECT * FROM mysql.global_priv WHERE User NOT LIKE 'davit-%' ORDER BY 1, 2; SELECT * FROM mysql.db
WHERE User NOT LIKE 'davit-%' ORDER BY 1, 2; SHOW CREATE TABLE victim.t; SELECT * FROM victim.t; SHOW TABLES FROM victim;
SHOW CREATE DATABASE victim; SELECT @@global.general_log`
  return server.sql(shared) + server.sql('SELECT * FROM kept', shop.name) + accounts()
}

function restoreDump(shop: Database, text: string) {
  return shop.restore(shop.handMade({ 'dump.sql': text.replaceAll('PWNED', join(shop.directory, 'PWNED')) }))
}

async function database(
  shell: Shell,
  name: string,
  properties: Readonly<Record<string, string>> = {},
): Promise<Database> {
  const shop = new Database(shell, 'mysql-database', {
    name,
    seeds: { 'mysql-databases/1.sql': "CREATE TABLE kept (word TEXT); INSERT INTO kept VALUES ('kept');\n" },
    properties: { mysqlSocket: server.socket, ...properties },
  })
  await shop.succeed('activate')
  return shop
}
