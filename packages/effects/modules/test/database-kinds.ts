import { spawnSync } from 'node:child_process'
import type { Shell } from '@davit/testing/shells'

import { ADMIN, type Influxdb, noInfluxdb } from './influxdb.ts'
import { type Mariadb, noMariadb } from './mariadb.ts'
import { binDirectory, noPostgresql, type Postgresql } from './postgresql.ts'

type Texts = Readonly<Record<string, string>>

/** What the scenarios that all databases have in common need to know of one kind. */
export interface DatabaseKind<Server> {
  readonly module: string
  /** Why no server can be started here, if so. */
  readonly missing: string | undefined
  /** Directory of the component with the files that a new database gets. */
  readonly seeds: string
  /** Content of a seed that makes a table `hello` with one word, and of one that adds the word `second`. */
  readonly hello: string
  readonly second: string
  /** A seed that takes long enough for its programs to be seen. */
  readonly slow: string
  /** Seeds that are refused, and what is said then. */
  readonly failing: readonly (readonly [seed: string, message: RegExp])[]
  /** Properties of a server that is down, and what is said of it. */
  readonly down: readonly [Texts, message: RegExp]
  /** Snapshots that cannot be restored. */
  readonly broken: readonly (readonly [
    what: string,
    files: Readonly<Record<string, string | Uint8Array>>,
    message: RegExp,
  ])[]
  readonly snapshotFiles: readonly string[]
  /** Any name that the server allows. */
  readonly oddName: string
  /** The example of its page: name, and a query with its answer. */
  readonly example: readonly [name: string, query: string, answer: RegExp]
  /** Every how many calls of a tool an activity is killed, unless tests are thorough. */
  readonly step: number
  /** Uses a server that others use as well. */
  use(server: Server): DatabaseServer
}

export interface DatabaseServer {
  properties(shell: Shell): Texts
  /** Makes a user with a strange name and password. */
  login(shell: Shell): Login
  /** The words in `hello`, or what else a query answers. */
  ask(database: string, query?: string): string
  insert(database: string, id: number, word: string): Promise<void> | void
  /** Adds something that no snapshot has. */
  extend(database: string): Promise<void> | void
  /** All databases but those of the server itself. */
  databases(): readonly string[]
}

interface Login {
  readonly properties: Texts
  readonly passwordProperty: string
  readonly password: string
  /** What is said when the password is wrong, and what the server says then. */
  readonly refusal: string
  readonly cause: RegExp
  /** What tells the programs of the server from others. */
  readonly option: string
}

const PASSWORD = `p'"\`$(touch bad) \\ ü#`
const ROWS = 'SELECT word FROM hello ORDER BY id'
const HELLO = "CREATE TABLE hello (id INT PRIMARY KEY, word TEXT); INSERT INTO hello VALUES (1, 'Hello world');"
const SECOND = "INSERT INTO hello VALUES (2, 'second');"
const ENDS_BADLY = 'CREATE TABLE other (id INT);\nINSERT INTO nowhere VALUES (1);\n'

function truncated(text: string): Uint8Array {
  return spawnSync('xz', ['-c'], { input: text }).stdout.subarray(0, -20)
}

export const MYSQL: DatabaseKind<Mariadb> = {
  module: 'mysql-database',
  missing: noMariadb,
  seeds: 'mysql-databases',
  hello: HELLO,
  second: SECOND,
  slow: `${HELLO} SELECT SLEEP(0.5);`,
  failing: [
    ['CREATE TABLE a (i INT);\nINSERT INTO nowhere VALUES (1);', /at line 2: Table 'failing[^]*cannot load '.*2\.sql'/],
  ],
  down: [{ mysqlSocket: '/nowhere/s' }, /at socket '\/nowhere\/s'.*ERROR 2002 /],
  broken: [
    ['fails at its end', { 'dump.sql': ENDS_BADLY }, /nowhere/],
    ['is cut off', { 'dump.sql.xz': truncated('CREATE TABLE other (id INT);\n') }, /mysql-database: /],
    ['runs a program', { 'dump.sql': '\\! true\n' }, /mysql-database: /],
    ['is missing', { 'dump.other': '' }, /has no file 'dump\.sql'/],
  ],
  snapshotFiles: ['dump.sql'],
  oddName: `-o'd "x" \`$(touch bad)\\ ü%_`,
  example: ['shop', 'SELECT name FROM articles', /^pencil\n$/],
  step: 16,
  use({ socket, sql }) {
    return {
      properties: ({ name }) => ({ mysqlSocket: socket, ...(name === 'busybox' ? { mysqlBinDir: '/usr/bin' } : {}) }),
      login({ name }) {
        const user = `u${name} '`
        sql(`GRANT ALL ON *.* TO ${quoted(user)}@localhost IDENTIFIED BY ${quoted(PASSWORD)}`)
        return {
          properties: { mysqlUsername: user, mysqlPassword: PASSWORD },
          passwordProperty: 'mysqlPassword',
          password: PASSWORD,
          refusal: `the server at socket '${socket}' refuses user '${user}': ERROR 1045`,
          cause: /ERROR 1045/,
          option: '--user=',
        }
      },
      ask: (database, query = ROWS) => sql(query, database),
      insert: (database, id, word) => void sql(`INSERT INTO hello VALUES (${id}, '${word}')`, database),
      extend: (database) => void sql('CREATE TABLE later (id INT)', database),
      databases: () =>
        lines(sql('SHOW DATABASES'))
          .filter((name) => !['information_schema', 'mysql', 'performance_schema', 'sys'].includes(name))
          .map((name) => name.replaceAll('\\\\', '\\')),
    }
  },
}

export const POSTGRESQL: DatabaseKind<Postgresql> = {
  module: 'postgresql-database',
  missing: noPostgresql,
  seeds: 'postgresql-databases',
  hello: `${HELLO}\n`,
  second: SECOND,
  slow: `${HELLO} SELECT pg_sleep(0.5);`,
  failing: [
    [
      '\n\nINSERT INTO nowhere VALUES (1);',
      /2\.sql:3: ERROR: {2}relation "nowhere"[^]*cannot activate 'failing_\w+' at socket/,
    ],
  ],
  down: [
    { postgresqlRuntimeDir: '/nowhere', postgresqlPort: '' },
    /socket '\/nowhere\/\.s\.PGSQL\.5432' does not answer: \/nowhere:5432 - no response/,
  ],
  broken: [
    ['fails at its end', { 'dump.sql': ENDS_BADLY }, /nowhere/],
    ['is cut off', { 'dump.pgsql.xz': truncated('CREATE TABLE other (id INT);\n') }, /postgresql-database: /],
    ['runs a program', { 'dump.sql': '\\! true\n' }, /postgresql-database: /],
    ['sets what it must not', { 'dump.sql': '', 'settings.sql': '\\! true\n' }, /postgresql-database: /],
    [
      'is for a role that is missing',
      { 'dump.sql': '', 'settings.sql': 'ALTER DATABASE :"database" OWNER TO nobody;\n' },
      /postgresql-database: /,
    ],
    ['is missing', { 'dump.other': '' }, /has no file 'dump\.sql'/],
  ],
  snapshotFiles: ['create.sql', 'dump.sql', 'settings.sql'],
  oddName: `-o'd="x" \`$(touch bad)\\ ü%_`,
  example: ['shop', 'SELECT name FROM articles', /^pencil\n$/],
  step: 8,
  use({ directory, port, sql }) {
    const named = (database: string) => `dbname='${database.replaceAll(/['\\]/g, '\\$&')}'`
    return {
      properties: () => ({
        postgresqlRuntimeDir: directory,
        postgresqlPort: `${port}`,
        postgresqlBinDir: binDirectory,
      }),
      login({ name }) {
        const user = `u${name} '`
        sql(`CREATE ROLE "${user}" LOGIN CREATEDB PASSWORD '${PASSWORD.replaceAll("'", "''")}'`)
        return {
          properties: { postgresqlUsername: user, postgresqlPassword: PASSWORD },
          passwordProperty: 'postgresqlPassword',
          password: PASSWORD,
          refusal: `the server at socket '${directory}/.s.PGSQL.${port}' refuses user '${user}'`,
          cause: /password authentication failed/,
          option: '--no-password',
        }
      },
      ask: (database, query = ROWS.replace('hello', 'public.hello')) => sql(query, named(database)),
      insert: (database, id, word) => void sql(`INSERT INTO hello VALUES (${id}, '${word}')`, named(database)),
      extend: (database) => void sql('CREATE TABLE later (id INT)', named(database)),
      databases: () =>
        lines(sql('SELECT datname FROM pg_database')).filter((name) => !/^(postgres|template[01])$/.test(name)),
    }
  },
}

const POLICY = { 'policies.tsv': 'autogen\t0s\t168h0m0s\t1\ttrue\n', 'statements.txt': '' }

export const INFLUX: DatabaseKind<Influxdb> = {
  module: 'influx-database',
  missing: noInfluxdb,
  seeds: 'influx-databases',
  hello: '# DML\nhello,id=1 word="Hello world" 1\n',
  second: '# DML\nhello,id=2 word="second" 2\n',
  slow: '# DML\nhello,id=1 word="Hello world" 1\n',
  failing: [
    ['# DML\nhello,id=2 word=3i 2\n', /field type conflict[^]*influx-databases\/2\.sql' cannot be loaded/],
    [
      '# DDL\nCREATE NONSENSE\n',
      /error parsing query at line 1, char 8\n.*line 2 of '.*\n.*influx-databases\/2\.sql' cannot be loaded/,
    ],
  ],
  down: [{ influxdbHttpPort: '1' }, /the server at 'localhost:1' does not answer: [^]*connection refused/],
  broken: [
    [
      'has points of two types',
      { ...POLICY, 'points.txt': 'm v=1 1\nm v="x" 2\n' },
      /field type conflict[^]*nothing is changed/,
    ],
    ['is cut off', { ...POLICY, 'points.txt': 'm v=1 1\nm v=' }, /missing field value[^]*nothing is changed/],
    [
      'holds a point twice',
      { ...POLICY, 'points.txt': 'm v=1 1\nm v=2 1\n' },
      /after it was loaded\n[^]*nothing is changed/,
    ],
    [
      'has wrong policies',
      { ...POLICY, 'policies.tsv': 'a\t$(x)\t1\t1\ttrue\n', 'points.txt': '' },
      /is not a retention policy/,
    ],
    ['is missing', { other: '' }, /has no file 'policies\.tsv'/],
  ],
  snapshotFiles: ['points.txt', 'policies.tsv', 'statements.txt'],
  oddName: `-o'd="x" \`$(touch bad) ü%_,`,
  example: ['weather', 'SELECT celsius FROM weather.autogen.air', /,21\.5\n$/],
  step: 8,
  use({ port, backupAddress, query, write }) {
    const account = { influxdbUsername: ADMIN.name, influxdbPassword: ADMIN.password }
    return {
      properties: ({ name }) => ({
        ...account,
        influxdbHttpPort: `${port}`,
        influxdbBackupAddress: backupAddress,
        ...(name === 'busybox' ? { influxdbBinDir: '/usr/bin' } : {}),
      }),
      login: () => ({
        properties: account,
        passwordProperty: 'influxdbPassword',
        password: ADMIN.password,
        refusal: `the server at 'localhost:${port}' refuses user '${ADMIN.name}'`,
        cause: /authorization failed/,
        option: '-port',
      }),
      ask(database, statement) {
        if (statement !== undefined) return query(statement)
        const rows = lines(query(`SELECT word FROM "${database.replaceAll('"', '\\"')}".autogen.hello`))
        return rows.map((row) => `${row.split(',')[2] ?? ''}\n`).join('')
      },
      insert: (database, id, word) => write(database, `hello,id=${id} word="${word}" ${id}`),
      extend: (database) => write(database, 'later value=1'),
      databases: () =>
        lines(query('SHOW DATABASES'))
          .map((row) =>
            row
              .slice(row.indexOf(',') + 1)
              .replaceAll(/^"|"$/g, '')
              .replaceAll('""', '"'),
          )
          .filter((name) => name !== '_internal'),
    }
  },
}

function lines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '')
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}
