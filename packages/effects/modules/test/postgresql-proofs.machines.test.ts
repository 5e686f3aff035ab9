import { spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Shell } from '@davit/testing/shells'

import { Database } from './database.ts'
import { HELLO, LEAKS, SEED } from './postgresql-leaks.ts'
import { BURDENS, OMISSIONS, SHARED, TREASURES } from './postgresql-treasures.ts'
import { binDirectory, noPostgresql, type Postgresql, startPostgresql } from './postgresql.ts'
import { installedShells, scratchPath } from './scene.ts'
import { type OddServer, proveState, type StateKind } from './state-proofs.ts'

type Kind = StateKind<Postgresql, Database>

const shells = installedShells()

function odd(what: string, settings: Parameters<typeof startPostgresql>[0], refused?: RegExp): OddServer<Postgresql> {
  return {
    what,
    async start() {
      const server = await startPostgresql(settings)
      return { server, end: () => server.stop() }
    },
    ...(refused === undefined ? {} : { refused }),
  }
}

function inTemplate(what: string, make: string, remove: string, refused?: RegExp): OddServer<Postgresql> {
  return {
    what,
    async start(server) {
      server.sql(make, 'template1')
      return { server, end: () => void server.sql(remove, 'template1') }
    },
    ...(refused === undefined ? {} : { refused }),
  }
}

const ODD: Kind['odd'] = [
  odd('one that has no encoding', { encoding: 'SQL_ASCII', locale: 'C' }),
  odd('one in Latin-1', { encoding: 'LATIN1', locale: 'C' }),
  odd('one with other defaults', {
    options: [
      'default_transaction_read_only=on',
      'quote_all_identifiers=on',
      'standard_conforming_strings=off',
      'DateStyle=German',
      'bytea_output=escape',
      'client_min_messages=debug1',
      'default_transaction_isolation=serializable',
    ],
  }),
  inTemplate(
    'one whose template has content',
    `CREATE TABLE here (n int); INSERT INTO here VALUES (1); REVOKE ALL ON SCHEMA public FROM PUBLIC; CREATE EXTENSION pg_trgm`,
    'DROP TABLE here; GRANT USAGE ON SCHEMA public TO PUBLIC; DROP EXTENSION pg_trgm',
  ),
  inTemplate(
    'one that lets nobody make tables',
    `CREATE FUNCTION no() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''not here''; END';
CREATE EVENT TRIGGER no ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION no()`,
    'DROP EVENT TRIGGER no; DROP FUNCTION no()',
    /P0001, raised by a function[^]*it does not exist now/,
  ),
]

/** Programs of the server, with another one in place of one of them. */
function programs(name: string, script: string): string {
  const others = ['psql', 'pg_dump', 'pg_isready'].map((each) => [
    each,
    `#!/bin/sh\nexec '${binDirectory}/${each}' "$@"\n`,
  ])
  const path = scratchPath({ ...Object.fromEntries(others), [name]: script })
  chmodSync(path, 0o755)
  return path
}

const KIND: Kind = {
  module: 'postgresql-database',
  missing: noPostgresql,
  async start() {
    const server = await startPostgresql({ options: ['wal_level=logical'] })
    const elsewhere = mkdtempSync(join(tmpdir(), 'davit-tablespace-'))
    spawnSync('chown', ['postgres', elsewhere])
    server.sql(`CREATE ROLE app; CREATE ROLE reader`)
    server.sql(`CREATE TABLESPACE elsewhere LOCATION '${elsewhere}'`)
    return { ...server, stop: () => server.stop().then(() => rmSync(elsewhere, { recursive: true })) }
  },
  stop: (server) => server.stop(),
  service,
  read: (server, { name }) =>
    server.sql(`SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = '${name}') AS is_there \\gset
\\if :is_there
\\connect "${name}"
SELECT * FROM hello ORDER BY id; SELECT relname FROM pg_class WHERE relkind = 'r' AND oid > 16384 ORDER BY 1;
${SHARED(name)};
\\else
\\echo absent
\\endif`),
  change: (server, { name }, word) =>
    void server.sql(
      `SET default_transaction_read_only = off; INSERT INTO hello VALUES (2, '${word}') ON CONFLICT (id) DO UPDATE SET word = EXCLUDED.word`,
      name,
    ),
  around: (server) =>
    server.sql(
      'SELECT datname FROM pg_database ORDER BY 1; SELECT rolname FROM pg_roles ORDER BY 1; SELECT count(*) FROM pg_db_role_setting',
    ),
  unloadable: [
    ['fails at its end', spoiled('dump.sql', 'SELECT 1 FROM nowhere;\n'), /relation "nowhere"/],
    ['has rows that go away', spoiled('dump.sql', 'DELETE FROM public.hello;\n'), /does not hold what 'dump\.sql'/],
    [
      'changes its rows',
      spoiled('dump.sql', "UPDATE public.hello SET word = word || '!';\n"),
      /does not hold what 'dump\.sql'/,
    ],
    [
      'gives permissions twice',
      spoiled(
        'dump.sql',
        'GRANT SELECT ON TABLE public.hello TO app;\nREVOKE SELECT ON TABLE public.hello FROM app;\n',
      ),
      /does not hold what 'dump\.sql'/,
    ],
    [
      'has a setting twice',
      spoiled(
        'settings.sql',
        `ALTER DATABASE :"database" SET my.a TO 'a';\nALTER DATABASE :"database" SET my.a TO 'b';\n`,
      ),
      /does not have what 'create\.sql' and 'settings\.sql'/,
    ],
    [
      'needs a locale that is missing',
      replaced('create.sql', /LC_COLLATE '[^']*'/, "LC_COLLATE 'xx_XX.latin9'"),
      /cannot make a database of this kind: .*xx_XX\.latin9/,
    ],
    [
      'needs a server of another version',
      spoiled('dump.sql', 'SET new_kind_of_table = columnar;\n'),
      /sets new_kind_of_table, which this server does not have/,
    ],
    ['has a command', spoiled('dump.sql', '\\! true\n'), /is a command of psql/],
  ],
  theirs: [
    ['a database of somebody', (server, { name }) => hello(server, name)],
    [
      'a database that says what davit says',
      (server, { name }) => hello(server, name, `COMMENT ON DATABASE "${name}" IS 'davit: unfinished?'`),
    ],
  ],
  failures: [
    [
      'the programs end between two renamings',
      () => ({
        postgresqlBinDir: programs(
          'psql',
          `#!/bin/sh\nsed 's/\\(TO :"old";\\).*/\\1/' | '${binDirectory}/psql' "$@"\n`,
        ),
      }),
    ],
    [
      'the programs lose rows',
      () => ({
        postgresqlBinDir: programs(
          'pg_dump',
          `#!/bin/sh\ncase "$*" in *--version*|*--help*) ;; *davit-new-*) exec '${binDirectory}/pg_dump' "$@" --exclude-table-data=hello ;; esac\nexec '${binDirectory}/pg_dump' "$@"\n`,
        ),
      }),
    ],
  ],
  leaks: LEAKS,
  treasures: TREASURES,
  burdens: BURDENS,
  omissions: OMISSIONS,
  odd: ODD,
}

function hello(server: Postgresql, name: string, statements = 'SELECT 1'): void {
  server.sql(`CREATE DATABASE "${name}"`)
  server.sql(`${HELLO}; ${statements}`, name)
}

function spoiled(file: string, text: string) {
  return (snapshot: string) => appendFileSync(join(snapshot, file), text)
}

function replaced(file: string, old: RegExp, text: string) {
  return (snapshot: string) => {
    const path = join(snapshot, file)
    writeFileSync(path, readFileSync(path, 'utf8').replace(old, text))
  }
}

function service(server: Postgresql, shell: Shell, name: string): Database {
  return new Database(shell, 'postgresql-database', {
    name,
    seeds: { [SEED]: HELLO },
    properties: {
      postgresqlRuntimeDir: server.directory,
      postgresqlPort: `${server.port}`,
      postgresqlBinDir: binDirectory,
    },
  })
}

proveState(KIND, shells)
