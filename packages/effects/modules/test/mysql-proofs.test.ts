import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { Database } from './database.ts'
import { type Mariadb, noMariadb, startMariadb } from './mariadb.ts'
import { installedShells } from './scene.ts'
import { proveState, type StateKind } from './state-proofs.ts'

const HELLO = "CREATE TABLE hello (id INT PRIMARY KEY, word TEXT);\nINSERT INTO hello VALUES (1, 'Hello world');\n"

const MYSQL: StateKind<Mariadb, Database> = {
  module: 'mysql-database',
  missing: noMariadb,
  start: () => startMariadb(),
  stop: (server) => server.stop(),
  service: (server, shell, name) =>
    new Database(shell, 'mysql-database', {
      name,
      seeds: { 'mysql-databases/1.sql': HELLO },
      properties: { mysqlSocket: server.socket, ...(shell.name === 'busybox' ? { mysqlBinDir: '/usr/bin' } : {}) },
    }),
  read: (server, { name }) => server.sql('SELECT * FROM hello ORDER BY id', name),
  change: (server, { name }, word) => void server.sql(`REPLACE INTO hello VALUES (2, '${word}')`, name),
  around: (server) => server.sql('SHOW DATABASES; SELECT User, Host FROM mysql.user ORDER BY 1, 2'),
  unloadable: [
    [
      'ends with an error',
      (snapshot) => append(snapshot, 'INSERT INTO nowhere VALUES (1);\n'),
      /nothing is changed|it holds what/,
    ],
  ],
  theirs: [
    [
      'a database that was there before',
      (server, { name }) => void server.sql(`CREATE DATABASE \`${name}\`; USE \`${name}\`; ${HELLO}`),
    ],
  ],
  failures: [],
  leaks: [],
  treasures: [],
  burdens: [],
  omissions: [],
  odd: [],
}

function append(snapshot: string, text: string): void {
  const dump = join(snapshot, 'dump.sql')
  writeFileSync(dump, readFileSync(dump, 'latin1') + text, 'latin1')
}

proveState(MYSQL, installedShells())
