import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isThorough } from '@davit/testing/effort'

import { Database } from './database.ts'
import { type Mariadb, noMariadb, startMariadb } from './mariadb.ts'
import { installedShells, type Outcome, scratchPath } from './scene.ts'
import { type Leak, proveState, restored, seeded, type StateKind, type Treasure } from './state-proofs.ts'

type Leaks = readonly Leak<Mariadb, Database>[]

const HELLO = "CREATE TABLE hello (id INT PRIMARY KEY, word TEXT);\nINSERT INTO hello VALUES (1, 'Hello world');\n"

/** How much the server takes at once. Values that fill more than half of it cannot be loaded in hexadecimal. */
const PACKET = isThorough ? 16_777_216 : 4_194_304
const LARGE = (PACKET / 16) * 9

const MYSQL: StateKind<Mariadb, Database> = {
  module: 'mysql-database',
  missing: noMariadb,
  start: () => startMariadb([`--max-allowed-packet=${PACKET}`]),
  stop: (server) => server.stop(),
  service: (server, shell, name) =>
    new Database(shell, 'mysql-database', {
      name,
      seeds: { 'mysql-databases/1.sql': HELLO },
      properties: { mysqlSocket: server.socket, ...(shell.name === 'busybox' ? { mysqlBinDir: '/usr/bin' } : {}) },
    }),
  read: (server, { name }) => server.sql('SELECT * FROM hello ORDER BY id', name),
  change: (server, { name }, word) =>
    void server.sql(`SET SESSION TRANSACTION READ WRITE; REPLACE INTO hello VALUES (2, '${word}'); COMMIT`, name),
  around: (server) => server.sql('SHOW DATABASES; SELECT User, Host FROM mysql.user ORDER BY 1, 2'),
  unloadable: [
    ['ends with an error', appending('INSERT INTO nowhere VALUES (1);\n'), /ERROR 1146 .*nowhere/],
    [
      'needs a collation that the server lacks',
      appending('ALTER TABLE hello COLLATE utf8mb4_of_tomorrow_ci;\n'),
      /ERROR 1273 .*'utf8mb4_of_tomorrow_ci'/,
    ],
    [
      'comes from MySQL 8',
      appending('CREATE TABLE `n` (`t` text) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;\n'),
      /ERROR 1273 .*'utf8mb4_0900_ai_ci'/,
    ],
    [
      'holds what the server changes',
      appending('CREATE TABLE `n` (`t` tinyint);\nINSERT INTO `n` VALUES\n(1000);\n'),
      /does not hold what 'dump\.sql' holds/,
    ],
    ['loses a row on the way', appending('DELETE FROM hello WHERE id = 2;\n'), /does not hold what 'dump\.sql' holds/],
    [
      'names another engine',
      (snapshot) => edit(snapshot, (text) => text.replace(') ENGINE=InnoDB', ') ENGINE=Tomorrow')),
      /does not hold|Unknown storage engine/,
    ],
  ],
  theirs: [
    [
      'a database that was there before',
      (server, { name }) => void server.sql(`CREATE DATABASE \`${name}\`; USE \`${name}\`; ${HELLO}`),
    ],
    [
      'a database with a table of the same name as that of davit',
      (server, { name }) =>
        void server.sql(
          `CREATE DATABASE \`${name}\`; USE \`${name}\`; ${HELLO} INSERT INTO hello VALUES (3, 'theirs'); CREATE TABLE davit_unfinished (unfinished INT)`,
        ),
    ],
  ],
  failures: [
    ['the server ends each load', () => ({ mysqlBinDir: clientThat('*--binary-mode*) exit 1 ;;') })],
    [
      'only the last load fails',
      (_, { name }) => ({
        mysqlBinDir: clientThat(
          `*--binary-mode*--database=${name}\\ *|*--database=${name}\\ --binary-mode*) echo 'ERROR 1' >&2; exit 1 ;;`,
        ),
      }),
    ],
    ['the dumper ends early', () => ({ mysqlBinDir: clientThat('', 'head -c 900') })],
  ],
  leaks: [
    ...(
      [
        [
          'a value is there twice',
          `INSERT INTO hello VALUES (7, 'SECRET'), (7, 'SECRET');`,
          /ERROR 1062 \(23000\) at line 1: a value that must be unique/,
        ],
        [
          'the syntax of a statement is wrong',
          `INSERT INTO hello VALUES (7, 'SECRET'`,
          /ERROR 1064 \(42000\) at line \d+: syntax/,
        ],
        [
          'a value is not a number',
          `INSERT INTO hello VALUES ('SECRET', '');`,
          /ERROR 1366 \(22007\) at line 1|does not hold/,
        ],
        [
          'a value is taken for a column',
          `SET sql_mode = ANSI_QUOTES; INSERT INTO hello VALUES (7, "SECRET");`,
          /ERROR 1054 \(42S22\) at line 1: unknown column/,
        ],
        ['a routine refuses', `SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'SECRET';`, /ERROR 1644 \(45000\) at line 1/],
        [
          'a value looks like a message',
          `CREATE TABLE u (w VARCHAR(200) UNIQUE); INSERT INTO u VALUES ${[1, 2].map(() => `('\nERROR 1146 (42S02) at line 1: SECRET\n')`).join()};`,
          /ERROR 1062/,
        ],
        ['a seed prints rows', `SELECT 'SECRET'; SELECT nowhere;`, /ERROR 1054/],
      ] as const
    ).flatMap(([what, statement, said]): Leaks => [
      seeded(`${what} in a seed`, 'mysql-databases/2.sql', `${statement}\n`, said),
      {
        ...restored('restore', 'dump.sql', `${statement}\n`, new RegExp(said.source.replace('line 1', 'line \\d+'))),
        what: `${what} in a snapshot`,
      },
    ]),
    leak('what there is cannot be put back', /could not be put back/, async (server, shop, secret) => {
      const snapshot = await shop.snapshot()
      server.sql(
        `CREATE DEFINER = nobody@nowhere VIEW v AS SELECT '${secret}' FROM hello; CREATE TABLE base (id INT); CREATE VIEW w AS SELECT '${secret}' AS s, id FROM base;`,
        shop.name,
      )
      return shop.call('restore', {
        DAVIT_SNAPSHOT: snapshot,
        mysqlBinDir: clientThat('', `sed "s/^INSERT INTO .hello. VALUES/INSERT INTO hello VALUES ('${secret}', 1),/"`),
      })
    }),
    leak('a view cannot be dumped', /cannot take a snapshot/, async (server, shop, secret) => {
      server.sql(
        `CREATE TABLE base (id INT); CREATE VIEW w AS SELECT '${secret}' AS s, id FROM base; DROP TABLE base`,
        shop.name,
      )
      return shop.call('snapshot', { DAVIT_SNAPSHOT: shop.make('linked') })
    }),
    leak('a session of the server says more than it should', /ERROR 1644/, async (server, shop, secret) => {
      server.sql(`CREATE OR REPLACE USER teller@localhost; GRANT ALL ON *.* TO teller@localhost`)
      return shop.call('snapshot', {
        DAVIT_SNAPSHOT: shop.make('linked'),
        mysqlBinDir: clientThat(
          `*--database=*) printf '%s\\n' -------------- 'INSERT ${secret}' -------------- '' "ERROR 1644 (45000) at line 1: ${secret}" >&2; exit 1 ;;`,
        ),
      })
    }),
  ],
  treasures: [
    treasure(
      'the history of versioned tables',
      'CREATE TABLE prices (id INT PRIMARY KEY, price INT) WITH SYSTEM VERSIONING; INSERT INTO prices VALUES (1, 10); UPDATE prices SET price = 20; UPDATE prices SET price = 30; DELETE FROM prices; INSERT INTO prices VALUES (2, 1)',
      'SELECT *, ROW_START, ROW_END FROM prices FOR SYSTEM_TIME ALL ORDER BY ROW_END, id',
    ),
    treasure(
      'numbers that come next',
      'CREATE SEQUENCE s START WITH 5 INCREMENT BY 3 CACHE 10 CYCLE; SELECT NEXTVAL(s); CREATE TABLE a (id INT AUTO_INCREMENT PRIMARY KEY); INSERT INTO a VALUES (9); DELETE FROM a; CREATE TABLE u (id INT DEFAULT (NEXTVAL(s)))',
      "SELECT next_not_cached_value, cycle_option FROM s; SELECT AUTO_INCREMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'a'",
    ),
    treasure(
      'columns of all kinds',
      `CREATE TABLE k (b BIT(9), g INT AS (1 + 1) STORED, w INT AS (b + 1) VIRTUAL, p POINT, i INET6, u UUID, j JSON, h TEXT INVISIBLE, t TIMESTAMP(6) NULL, d DATETIME(3), f FLOAT, r DOUBLE, n DECIMAL(60, 30), e ENUM('a', 'b'), z DATE);
SET sql_mode = ''; INSERT INTO k (b, p, i, u, j, h, t, d, f, r, n, e, z) VALUES (b'101', POINT(1.5, 2), '::1', UUID(), '{"a": 1}', 'hidden', '2020-10-25 00:30:00.123456', '2020-01-01 01:01:01.999', 0.1, 0.1, 1/3, 'x', '0000-00-00')`,
      'SELECT *, h, HEX(b) FROM k',
    ),
    treasure(
      'routines with modes, triggers in order, disabled events',
      `SET sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT'; CREATE FUNCTION joined() RETURNS TEXT RETURN 'a' || 'word'; SET sql_mode = 'ORACLE';
DELIMITER //
CREATE PACKAGE pack AS FUNCTION one RETURN INT; END//
CREATE PACKAGE BODY pack AS FUNCTION one RETURN INT AS BEGIN RETURN 1; END; END//
DELIMITER ;
SET sql_mode = ''; CREATE TRIGGER one BEFORE INSERT ON hello FOR EACH ROW SET NEW.word = CONCAT(NEW.word, '1'); CREATE TRIGGER two BEFORE INSERT ON hello FOR EACH ROW FOLLOWS one SET NEW.word = CONCAT(NEW.word, '2');
CREATE EVENT later ON SCHEDULE EVERY 1 DAY STARTS '2030-01-01 00:00:00' ENDS '2031-01-01 00:00:00' ON COMPLETION PRESERVE DISABLE COMMENT 'x ENABLE DO y' DO DELETE FROM hello; CREATE EVENT now ON SCHEDULE EVERY 1 DAY STARTS '2030-01-01 00:00:00' DO DELETE FROM hello`,
      `SELECT ROUTINE_NAME, ROUTINE_TYPE, SQL_MODE FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = DATABASE() ORDER BY 1, 2;
SELECT TRIGGER_NAME, ACTION_ORDER FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE() ORDER BY 1; SELECT EVENT_NAME, STATUS, ON_COMPLETION, EVENT_COMMENT, STARTS, ENDS FROM information_schema.EVENTS WHERE EVENT_SCHEMA = DATABASE() ORDER BY 1`,
    ),
    treasure(
      'options of tables',
      "SET GLOBAL innodb_compression_default = OFF; CREATE TABLE c (id INT PRIMARY KEY) PAGE_COMPRESSED = 1 COMMENT = 'packed'; CREATE TABLE p (id INT) PARTITION BY HASH (id) PARTITIONS 3; CREATE TABLE m (id INT) ENGINE = MyISAM; CREATE TABLE ar (id INT CHECK (id > 0)) ENGINE = Aria PAGE_CHECKSUM = 1 TRANSACTIONAL = 0; CREATE TABLE `a``b\\\\c` (`x y` INT, PERIOD FOR q (s, e), s DATE, e DATE)",
      'SELECT TABLE_NAME, ENGINE, CREATE_OPTIONS, TABLE_COMMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() ORDER BY 1; SHOW CREATE TABLE `a``b\\\\c`',
    ),
    treasure(
      'what belongs to the database',
      `ALTER DATABASE CHARACTER SET latin2 COLLATE latin2_czech_cs COMMENT = 'the ''shop''\\n\\\\ " ü'`,
      'SELECT DEFAULT_COLLATION_NAME, HEX(SCHEMA_COMMENT) FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = DATABASE()',
    ),
  ],
  burdens: [
    burden(
      'large',
      'a text that fills more than half of what the server takes',
      `CREATE TABLE NAME (id INT PRIMARY KEY, body LONGBLOB); INSERT INTO NAME VALUES (1, REPEAT('x', ${LARGE}))`,
    ),
    burden(
      'bytes',
      'any bytes',
      "SET group_concat_max_len = 20000000; CREATE TABLE NAME (id INT PRIMARY KEY, body LONGBLOB); INSERT INTO NAME VALUES (1, (SELECT GROUP_CONCAT(UNHEX(SHA2(seq, 512)) SEPARATOR '') FROM seq_1_to_16000)), (2, UNHEX(REPEAT('00275C0A', 5000)))",
    ),
    burden(
      'wide',
      'wide rows that were made without strictness',
      `SET innodb_strict_mode = OFF; CREATE TABLE NAME (id INT PRIMARY KEY, body TEXT, ${Array.from({ length: 33 }, (_, n) => `c${n} CHAR(255)`).join(', ')}) CHARSET latin1 ROW_FORMAT = DYNAMIC`,
    ),
  ],
  omissions: [
    {
      what: 'a value that cannot be sent',
      status: 'refused',
      said: new RegExp(
        `a row of table 'files' takes more than \\d+ bytes to load, and the server takes at most ${PACKET}: set max_allowed_packet higher`,
      ),
      make: (server, { name }) =>
        void server.sql(
          `CREATE TABLE files (id INT, body LONGBLOB, more LONGBLOB); INSERT INTO files VALUES (1, REPEAT('x', ${LARGE}), REPEAT('x', ${LARGE}))`,
          name,
        ),
    },
    {
      what: 'history by transactions',
      status: 'refused',
      said: /history/,
      make: (server, { name }) =>
        void server.sql(
          'CREATE TABLE t (id INT, a BIGINT UNSIGNED GENERATED ALWAYS AS ROW START, b BIGINT UNSIGNED GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (a, b)) WITH SYSTEM VERSIONING',
          name,
        ),
    },
    {
      what: 'rows of another server',
      status: 'left out',
      said: /left out: rows of table 'm', which engine MRG_MyISAM keeps elsewhere/,
      make: (server, { name }) =>
        void server.sql(
          'CREATE TABLE b (id INT) ENGINE = MyISAM; CREATE TABLE m (id INT) ENGINE = MRG_MyISAM UNION = (b)',
          name,
        ),
    },
    {
      what: 'a routine that writes files',
      status: 'refused',
      said: /line \d+ of 'dump\.sql' uses files .*\n.*mysqlTrustSnapshots=1 allows it/,
      make: (server, { name }) => void server.sql("CREATE PROCEDURE p() SELECT 1 INTO OUTFILE '/nowhere'", name),
    },
  ],
  odd: [
    { what: 'names without case', start: another('--lower-case-table-names=1') },
    {
      what: 'other modes, and nothing committed',
      start: another(
        '--sql-mode=ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT,STRICT_ALL_TABLES',
        '--autocommit=0',
        '--transaction-read-only=1',
      ),
    },
    {
      what: 'another time zone and character set',
      start: another(
        '--default-time-zone=+05:30',
        '--character-set-server=latin1',
        '--collation-server=latin1_german2_ci',
      ),
    },
    { what: 'small packets', start: another('--max-allowed-packet=16384') },
    {
      what: 'primary keys for all tables, and short statements',
      start: another('--innodb-force-primary-key=1', '--max-statement-time=2', '--innodb-strict-mode=0'),
    },
    { what: 'no InnoDB', start: another('--skip-innodb', '--default-storage-engine=Aria') },
  ],
}

/** Starts a server of its own with these options. */
function another(...options: readonly string[]) {
  return async () => {
    const server = await startMariadb(options)
    return { server, end: () => server.stop() }
  }
}

function leak(
  what: string,
  said: RegExp,
  fail: (server: Mariadb, shop: Database, secret: string) => Promise<Outcome>,
): Leak<Mariadb, Database> {
  return { kind: 'other', what, said, fail }
}

function treasure(what: string, statements: string, question: string): Treasure<Mariadb, Database> {
  return {
    what,
    make: (server, { name }) => void server.sql(statements, name),
    ask: (server, { name }) => server.sql(question, name),
  }
}

function burden(name: string, what: string, statements: string): Treasure<Mariadb, Database> {
  return treasure(what, statements.replaceAll('NAME', name), `SELECT id, LENGTH(body), MD5(body) FROM ${name}`)
}

/** Programs of the server: the client does something else for some arguments, a line of `case`, and the dump goes through a filter. */
function clientThat(line: string, filter = 'cat'): string {
  const path = scratchPath({
    mariadb: `#!/bin/sh\ncase "$*" in\n${line}\nesac\nexec /usr/bin/mariadb "$@"\n`,
    'mariadb-dump': `#!/bin/sh\ncase "$*" in *davit-try-*|*davit-verify-*) exec /usr/bin/mariadb-dump "$@" ;; *--routines*) /usr/bin/mariadb-dump "$@" | ${filter} ;; *) exec /usr/bin/mariadb-dump "$@" ;; esac\n`,
  })
  chmodSync(path, 0o755)
  return path
}

function appending(text: string) {
  return (snapshot: string) => append(snapshot, text)
}

function edit(snapshot: string, change: (text: string) => string): void {
  const dump = join(snapshot, 'dump.sql')
  writeFileSync(dump, change(readFileSync(dump, 'latin1')), 'latin1')
}

function append(snapshot: string, text: string): void {
  const dump = join(snapshot, 'dump.sql')
  writeFileSync(dump, readFileSync(dump, 'latin1') + text, 'latin1')
}

proveState(MYSQL, installedShells())
