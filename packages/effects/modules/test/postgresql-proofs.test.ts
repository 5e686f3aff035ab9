import { spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Shell } from '@davit/testing/shells'

import { Database } from './database.ts'
import { binDirectory, noPostgresql, type Postgresql, startPostgresql } from './postgresql.ts'
import { installedShells, scratchPath } from './scene.ts'
import { type Leak, type OddServer, proveState, type StateKind, type Treasure } from './state-proofs.ts'

type Kind = StateKind<Postgresql, Database>

const shells = installedShells()
const SEED = 'postgresql-databases/1.sql'
const HELLO =
  "CREATE TABLE hello (id INT PRIMARY KEY, word TEXT UNIQUE); INSERT INTO hello VALUES (1, 'Hello world');\n"
const EXISTS = (name: string) => `SELECT count(*) FROM pg_database WHERE datname = '${name}'`

/** What is not in the database itself: its encoding and locale, owner, permissions, comment, settings. */
const SHARED = (
  name: string,
) => `SELECT pg_encoding_to_char(encoding), datcollate, datctype, datlocprovider, daticulocale, datistemplate,
  datconnlimit, pg_get_userbyid(datdba), shobj_description(d.oid, 'pg_database'), spcname, datacl
  FROM pg_database d JOIN pg_tablespace t ON t.oid = dattablespace WHERE datname = '${name}';
SELECT pg_get_userbyid(setrole), entry FROM pg_db_role_setting JOIN pg_database d ON d.oid = setdatabase, unnest(setconfig) entry
  WHERE datname = '${name}' ORDER BY 1, 2`

function treasure(what: string, statements: string, question: string): Treasure<Postgresql, Database> {
  return {
    what,
    make: (server, { name }) => void server.sql(statements.replaceAll('NAME', name), name),
    ask: (server, { name }) => server.sql(question.replaceAll('NAME', name), name) + server.sql(SHARED(name)),
  }
}

/** A database in another encoding, with bytes that are not UTF-8. */
function encoded(encoding: string, bytes: string, locale = 'C'): Treasure<Postgresql, Database> {
  return {
    what: `text in ${encoding}`,
    make(server, { name }) {
      server.sql(`DROP DATABASE ${name}`)
      server.sql(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING '${encoding}' LOCALE '${locale}'`)
      server.sql(
        `SET client_encoding = '${encoding}'; CREATE TABLE words (word TEXT); INSERT INTO words VALUES (E'${bytes}'), ('a\\\\b''');
COMMENT ON TABLE words IS E'${bytes}'`,
        name,
      )
    },
    ask: (server, { name }) =>
      server.sql(
        `SELECT encode(convert_to(word, '${encoding}'), 'hex') FROM words;
SELECT encode(convert_to(obj_description('words'::regclass), '${encoding}'), 'hex')`,
        name,
      ) + server.sql(SHARED(name)),
  }
}

function seeded(what: string, seed: string, said: RegExp): Leak<Postgresql, Database> {
  return [
    `a seed has ${what}`,
    async (_, service, secret) => {
      await service.succeed('collect-garbage')
      service.write(join(service.component, SEED), `${HELLO}\n${seed.replaceAll('SECRET', secret)}\n`)
      return service.call('activate')
    },
    said,
  ]
}

function restored(
  activity: 'restore' | 'verify',
  file: string,
  text: string,
  said: RegExp,
): Leak<Postgresql, Database> {
  return [
    `${activity} reads ${file}: ${said.source}`,
    async (_, service, secret) => {
      const snapshot = await service.snapshot()
      appendFileSync(join(snapshot, file), text.replaceAll('SECRET', secret))
      return service.call(activity, { DAVIT_SNAPSHOT: snapshot })
    },
    said,
  ]
}

const T = 'CREATE TABLE public.t (id int, word text UNIQUE);\n'

const LEAKS: Kind['leaks'] = [
  seeded(
    'a row twice',
    "INSERT INTO hello VALUES (7, 'SECRET'),\n (8, 'SECRET');",
    /1\.sql:4: ERROR: {2}duplicate key value violates unique constraint "hello_word_key"\n/,
  ),
  seeded('bad syntax', "INSERT INTO hello VALUES (7 'SECRET');", /1\.sql:3: ERROR: {2}42601, a syntax error/),
  seeded('a text for a number', "INSERT INTO hello VALUES ('SECRET', '');", /1\.sql:3: ERROR: {2}22P02, a value that/),
  seeded('a name for a text', 'INSERT INTO hello VALUES (7, "SECRET");', /1\.sql:3: ERROR: {2}42703, a column/),
  seeded('rows of a COPY', 'COPY hello FROM stdin;\n7\tSECRET\nSECRET\tx\n\\.', /1\.sql:6: ERROR: {2}22P02/),
  seeded(
    'a function that fails',
    `DO $$ BEGIN RAISE NOTICE E'first\\npsql: error: SECRET';
RAISE unique_violation USING MESSAGE = 'SECRET', DETAIL = 'SECRET', HINT = 'SECRET'; END $$;`,
    /1\.sql:4: ERROR: {2}P0001, raised by a function/,
  ),
  seeded('an answer', "SELECT 'SECRET'; SELECT 1 / 0;", /1\.sql:3: ERROR: {2}22012/),
  seeded('a command', "INSERT INTO hello VALUES (7, 'it\\'SECRET\\SECRET');", /1\.sql:3: error: invalid command/),
  seeded('a parameter', "SET work_mem = 'SECRET';", /1\.sql:3: ERROR: {2}22023/),
  restored(
    'restore',
    'dump.sql',
    `${T}COPY public.t FROM stdin;\n1\tSECRET\nSECRET\tx\n\\.\n`,
    /ERROR: {2}22P02, a value/,
  ),
  restored('restore', 'dump.sql', `${T}INSERT INTO public.t VALUES (1, 'SECRET'), (2, 'SECRET');\n`, /duplicate key/),
  restored('restore', 'dump.sql', "ALTER ROLE x PASSWORD 'SECRET';\n", /line \d+ of 'dump\.sql' has what no dump/),
  restored('restore', 'settings.sql', `ALTER DATABASE :"database" SET work_mem TO 'SECRET';\n`, /ERROR: {2}22023/),
  restored(
    'restore',
    'settings.sql',
    `ALTER DATABASE :"database" SET my.own TO 'SECRET'; SELECT 1;\n`,
    /line \d+ of 'sett/,
  ),
  restored('verify', 'dump.sql', `${T}COPY public.t FROM stdin;\nSECRET\tx\n\\.\n`, /ERROR: {2}22P02, a value/),
  restored('verify', 'dump.sql', `UPDATE public.hello SET word = 'SECRET';\n`, /does not hold what 'dump\.sql'/),
  [
    'a snapshot is taken of text that is not UTF-8',
    async (server, service, secret) => {
      notUtf8(server, service.name, secret)
      return service.call('snapshot', { DAVIT_SNAPSHOT: service.make('linked') })
    },
    /not UTF-8 .*'public\.broken, row 2'/,
  ],
]

function notUtf8(server: Postgresql, name: string, text = ''): void {
  server.sql(
    `CREATE CAST (bytea AS text) WITHOUT FUNCTION; CREATE TABLE broken AS SELECT 'Schlüssel €' AS word;
INSERT INTO broken VALUES (('\\xe9'::bytea || '${text}'::bytea)::text); DROP CAST (bytea AS text)`,
    name,
  )
}

const TREASURES: Kind['treasures'] = [
  treasure(
    'comment, owner, permissions and settings of the database',
    `COMMENT ON DATABASE NAME IS E'it''s\\n\\\\x'; ALTER DATABASE NAME SET search_path = "a b", public; ALTER DATABASE NAME IS_TEMPLATE true;
ALTER DATABASE NAME SET my.own = 'ü'; ALTER ROLE app IN DATABASE NAME SET work_mem = '1MB'; ALTER DATABASE NAME CONNECTION LIMIT 7;
REVOKE ALL ON DATABASE NAME FROM PUBLIC; GRANT CONNECT ON DATABASE NAME TO app WITH GRANT OPTION; ALTER DATABASE NAME OWNER TO app;
ALTER DATABASE NAME IS_TEMPLATE false`,
    'SELECT 1',
  ),
  treasure(
    'permissions of all kinds of objects',
    `CREATE SCHEMA s AUTHORIZATION app; CREATE TABLE s.t (a int, b int); ALTER TABLE s.t OWNER TO app; GRANT SELECT (a) ON s.t TO reader;
ALTER DEFAULT PRIVILEGES FOR ROLE app IN SCHEMA s GRANT SELECT ON TABLES TO reader; REVOKE ALL ON SCHEMA public FROM PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE app REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC; CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1';
REVOKE ALL ON FUNCTION f() FROM PUBLIC; CREATE TYPE y AS ENUM ('a'); REVOKE ALL ON TYPE y FROM PUBLIC; CREATE SEQUENCE q START 7;
GRANT USAGE ON SEQUENCE q TO reader; SELECT nextval('q')`,
    `SELECT relname, relowner::regrole, relacl FROM pg_class WHERE oid > 16384 AND relkind IN ('r', 'S') ORDER BY 1; SELECT last_value FROM q;
SELECT proacl FROM pg_proc WHERE proname = 'f'; SELECT typacl FROM pg_type WHERE typname = 'y'; SELECT nspname, nspacl, nspowner FROM pg_namespace
WHERE nspname IN ('s', 'public') ORDER BY 1; SELECT defaclrole::regrole, defaclnamespace::regnamespace, defaclobjtype, defaclacl FROM pg_default_acl
ORDER BY 1, 2`,
  ),
  treasure(
    'rows that their owners alone may see',
    `ALTER TABLE hello ENABLE ROW LEVEL SECURITY; ALTER TABLE hello FORCE ROW LEVEL SECURITY;
CREATE POLICY p ON hello AS RESTRICTIVE FOR SELECT TO app USING (word = current_user)`,
    "SELECT relrowsecurity, relforcerowsecurity FROM pg_class WHERE relname = 'hello'; SELECT * FROM pg_policies",
  ),
  treasure(
    'unlogged tables, generated and identity columns, partitions, statistics, publications, and large objects',
    `CREATE UNLOGGED TABLE u AS SELECT 1 AS n; CREATE TABLE g (id int GENERATED ALWAYS AS IDENTITY (START 5), n int,
twice int GENERATED ALWAYS AS (2 * n) STORED); INSERT INTO g (n) VALUES (1), (2); CREATE STATISTICS st (dependencies) ON id, n FROM g;
ALTER STATISTICS st SET STATISTICS 7; CREATE PUBLICATION pub FOR TABLE g (id, n) WHERE (id > 0); ALTER TABLE g REPLICA IDENTITY FULL;
CREATE TABLE p (n int) PARTITION BY RANGE (n); CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10); INSERT INTO p VALUES (1);
SELECT lo_from_bytea(4711, decode(repeat('5c00', 20000), 'hex')); ALTER LARGE OBJECT 4711 OWNER TO app;
COMMENT ON LARGE OBJECT 4711 IS 'big'`,
    `SELECT relpersistence FROM pg_class WHERE relname = 'u'; SELECT * FROM u; SELECT * FROM g; SELECT stxname, stxkind, stxstattarget
FROM pg_statistic_ext; SELECT * FROM pg_publication_tables; SELECT relreplident FROM pg_class WHERE relname = 'g'; SELECT * FROM p1;
SELECT md5(lo_get(4711)), lomowner::regrole FROM pg_largeobject_metadata; SELECT identity_start FROM information_schema.columns WHERE table_name = 'g'`,
  ),
  treasure(
    'the lack of the schema public',
    'DROP SCHEMA public CASCADE',
    'SELECT nspname FROM pg_namespace ORDER BY 1',
  ),
  {
    what: 'a tablespace and a locale of ICU',
    make(server, { name }) {
      server.sql(`DROP DATABASE ${name}`)
      server.sql(
        `CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'de-u-co-phonebk' TABLESPACE elsewhere`,
      )
    },
    ask: (server, { name }) => server.sql(SHARED(name)),
  },
  encoded('SQL_ASCII', 'Ren\\xe9'),
  encoded('LATIN1', 'Ren\\xe9'),
  encoded('EUC_JP', '\\xc6\\xfc\\xcb\\xdc'),
]

const BURDENS: Kind['burdens'] = [
  treasure(
    'a value of 9 MB, and a row of 1,000 columns',
    `INSERT INTO hello VALUES (2, NULL); CREATE TABLE big AS SELECT repeat(E'x\\\\', 4500000) AS text, decode(repeat('00ff', 1000000), 'hex') AS bytes;
SELECT format('CREATE TABLE wide (%s)', string_agg(format('c%s int DEFAULT %1$s', n), ', ')) FROM generate_series(1, 1000) n \\gexec
INSERT INTO wide DEFAULT VALUES;`,
    'SELECT md5(text), md5(bytes) FROM big; SELECT md5(wide::text) FROM wide',
  ),
  treasure(
    'long functions and comments',
    `SELECT format('CREATE FUNCTION long() RETURNS text LANGUAGE sql AS %L', 'SELECT ' || quote_literal(repeat('x', 300000))) \\gexec
SELECT format('COMMENT ON TABLE hello IS %L', repeat('it''s\\ ', 5000)) \\gexec`,
    "SELECT md5(prosrc) FROM pg_proc WHERE proname = 'long'; SELECT md5(obj_description('hello'::regclass))",
  ),
  treasure(
    'names with anything in them',
    `CREATE TABLE "a;
-- Name: x" (w text, "\\.\\! '$$" float8 DEFAULT '1e-7'); INSERT INTO "a;\n-- Name: x" VALUES ('a', 0.1 + 0.2)`,
    'SELECT * FROM "a;\n-- Name: x"',
  ),
]

const OMISSIONS: Kind['omissions'] = [
  {
    what: 'text that is not UTF-8',
    make: (server, { name }) => notUtf8(server, name),
    status: 'refused',
    said: /not UTF-8/,
  },
  omission(
    'event triggers',
    `CREATE FUNCTION e() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END'; CREATE EVENT TRIGGER "my e" ON sql_drop EXECUTE FUNCTION e()`,
    /only postgresqlTrustSnapshots=1, and a superuser, restore event trigger "my e"/,
  ),
  omission(
    'publications of all tables, and foreign servers',
    `CREATE PUBLICATION everything FOR ALL TABLES; CREATE EXTENSION postgres_fdw; CREATE SERVER there FOREIGN DATA WRAPPER postgres_fdw;
CREATE USER MAPPING FOR PUBLIC SERVER there OPTIONS (password 'x')`,
    /restore foreign server there\n.*restore publication everything/,
  ),
  omission(
    'functions that run as a superuser',
    `CREATE FUNCTION strong() RETURNS int SECURITY DEFINER LANGUAGE sql AS 'SELECT 1'`,
    /restores this: function public\.strong\(\) runs with the rights/,
  ),
  omission(
    'permissions of what belongs to the server',
    'REVOKE ALL ON FUNCTION pg_catalog.pg_sleep(float8) FROM PUBLIC',
    /restores permissions of pg_sleep\(double precision\)/,
  ),
  omission(
    'parameters of an administrator',
    "ALTER DATABASE NAME SET log_statement = 'ddl'",
    /parameters of administrators: log_statement/,
  ),
  omission(
    'security labels of the database',
    `SET allow_system_table_mods = on; INSERT INTO pg_shseclabel
SELECT oid, 'pg_database'::regclass, 'selinux', 'x' FROM pg_database WHERE datname = 'NAME'`,
    /security label of the database by selinux is not in the snapshot/,
  ),
  omission(
    'replication slots',
    "SELECT pg_create_logical_replication_slot('NAME', 'pgoutput')",
    /replication slot \S+ is not in the snapshot/,
  ),
  omission(
    'invalid indexes',
    "CREATE INDEX bad ON hello (id); UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'bad'::regclass",
    /index public\.bad is invalid/,
  ),
]

function omission(what: string, statements: string, said: RegExp): Kind['omissions'][number] {
  return {
    what,
    make: (server, { name }) => void server.sql(statements.replaceAll('NAME', name), name),
    status: 'left out',
    said,
  }
}

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

/** Programs of the server, one of which is another one. */
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
  read(server, { name }) {
    if (server.sql(EXISTS(name)) === '0\n') return 'absent'
    return (
      server.sql(
        "SELECT * FROM hello ORDER BY id; SELECT relname FROM pg_class WHERE relkind = 'r' AND oid > 16384 ORDER BY 1",
        name,
      ) + server.sql(SHARED(name))
    )
  },
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
      (server, { name }) => hello(server, name, `COMMENT ON DATABASE ${name} IS 'davit: unfinished?'`),
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
  server.sql(`CREATE DATABASE ${name}`)
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
