import { appendFileSync, chmodSync, existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isThorough, sampleOf } from '@davit/testing/effort'
import type { Shell } from '@davit/testing/shells'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { Database } from './database.ts'
import { binDirectory, noPostgresql, type Postgresql, startPostgresql } from './postgresql.ts'
import { installedShells, scratchPath } from './scene.ts'

const shells = installedShells()
const inDepth = shells.filter((shell) => shell.inDepth)
let server: Postgresql

beforeAll(async () => {
  if (noPostgresql !== undefined) return
  server = await startPostgresql()
  server.sql(`CREATE ROLE admin SUPERUSER LOGIN PASSWORD 'x'; CREATE ROLE maker CREATEROLE CREATEDB LOGIN PASSWORD 'x';
CREATE ROLE owner CREATEDB LOGIN PASSWORD 'x'; CREATE ROLE app; CREATE ROLE runner CREATEDB LOGIN PASSWORD 'x';
GRANT pg_execute_server_program TO runner; CREATE DATABASE victim`)
  server.sql("CREATE TABLE t AS SELECT 'safe' AS word", 'victim')
})
afterAll(() => server?.stop())

const TABLE = 'CREATE TABLE public.t (id int, word text);\n'
const ROWS = (...rows: readonly string[]) => `COPY public.t (id, word) FROM stdin;\n${rows.join('\n')}\n\\.\n`
const FUNCTION = `CREATE FUNCTION public.f(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$BEGIN RETURN 1; END$$;\n`
const REFUSED = /line \d+ of 'dump\.sql' /

/** What the server refuses to the account that loads. */
const RUN: readonly string[] = [
  'SET SESSION AUTHORIZATION postgres;\nCREATE EXTENSION dblink;\n',
  'RESET SESSION AUTHORIZATION;\nCREATE EXTENSION file_fdw;\n',
  'CREATE EXTENSION dblink;\n',
  'CREATE EXTENSION adminpack;\n',
  "SELECT pg_read_file('/etc/passwd');\n",
  "SELECT lo_import('/etc/passwd');\n",
  "SELECT lo_export(lo_from_bytea(0, 'x'), '/tmp/davit-pwned');\n",
  'SELECT rolpassword FROM pg_authid;\n',
  "SELECT set_config('session_authorization', 'postgres', false), pg_read_file('/etc/passwd');\n",
  "CREATE FUNCTION public.f() RETURNS int LANGUAGE c AS 'libc', 'system';\n",
  'CREATE EVENT TRIGGER e ON ddl_command_start EXECUTE FUNCTION suppress_redundant_updates_trigger();\n',
  'CREATE PUBLICATION p FOR ALL TABLES;\n',
  'UPDATE pg_catalog.pg_authid SET rolsuper = true;\n',
  `SELECT query_to_xml('ALTER ROLE app SUPERUSER', false, false, '');\n`,
  `${FUNCTION.replace('RETURN 1;', "COPY (SELECT 1) TO PROGRAM 'touch PWNED'; RETURN 1;")}SELECT public.f(1);\n`,
  `${FUNCTION.replace('RETURN 1;', "SET SESSION AUTHORIZATION postgres; COPY (SELECT 1) TO PROGRAM 'touch PWNED'; RETURN 1;")}
CREATE TABLE public.t (id int CHECK (public.f(id) = 1), word text);\n${ROWS('1\tx')}`,
  'CREATE SERVER s FOREIGN DATA WRAPPER file_fdw;\n',
  'ALTER FUNCTION pg_catalog.pg_read_file(text) OWNER TO app;\n',
  'GRANT EXECUTE ON FUNCTION pg_catalog.pg_read_file(text) TO PUBLIC;\n',
  'GRANT SELECT ON TABLE pg_catalog.pg_authid TO PUBLIC;\n',
  'ALTER TEXT SEARCH CONFIGURATION pg_catalog.english OWNER TO app;\n',
  'ALTER SCHEMA pg_catalog OWNER TO app;\n',
  'SET search_path = pg_catalog;\nGRANT SELECT(rolpassword) ON TABLE pg_authid TO PUBLIC;\n',
  `${TABLE}ALTER TABLE public.t ADD CHECK (id > 0), OWNER TO postgres;\n`,
]

/** What would run with more rights later on. */
const LATER: readonly (readonly [text: string, message: RegExp])[] = [
  [FUNCTION.replace('LANGUAGE', 'SECURITY DEFINER LANGUAGE'), /function public\.f\(integer\) runs with the rights/],
  [
    `${FUNCTION.replace('LANGUAGE', 'SECURITY DEFINER LANGUAGE')}ALTER FUNCTION public.f(int) OWNER TO admin;\n`,
    /runs with the rights of its owner, admin/,
  ],
  [
    `${TABLE}${FUNCTION}CREATE INDEX i ON public.t (public.f(id));\n`,
    /an index of table public\.t, of postgres, calls/,
  ],
  [`${TABLE}${FUNCTION}CREATE INDEX i ON public.t (id) WHERE public.f(id) = 1;\n`, /an index of table public\.t/],
  [
    `${TABLE}${FUNCTION}CREATE FUNCTION public.g(int, int) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT public.f($1) = $2';
CREATE OPERATOR public.=== (FUNCTION = public.g, LEFTARG = int, RIGHTARG = int);
CREATE INDEX i ON public.t ((id OPERATOR(public.===) 1));\n`,
    /an index of table public\.t/,
  ],
  [
    `${TABLE}${FUNCTION}CREATE DOMAIN public.d AS int CHECK (public.f(VALUE) = 1);
CREATE INDEX i ON public.t ((id::public.d));\n`,
    /an index of table public\.t/,
  ],
  [`${TABLE}${FUNCTION}CREATE STATISTICS s ON (public.f(id)) FROM public.t;\n`, /statistics of table public\.t/],
  [
    `CREATE FUNCTION public.d(date, date) RETURNS float8 IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN 1; END';
CREATE TYPE public.r AS RANGE (SUBTYPE = date, SUBTYPE_DIFF = public.d);\nCREATE TABLE public.t (r public.r);\n`,
    /a range in table public\.t/,
  ],
  [
    `CREATE TABLE public.p (id int PRIMARY KEY);\nCREATE TABLE public.t (id int REFERENCES public.p ON DELETE CASCADE);
CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END';
CREATE TRIGGER x BEFORE DELETE ON public.t FOR EACH ROW EXECUTE FUNCTION public.f();\n`,
    /a foreign key changes table public\.t/,
  ],
  [
    `CREATE TABLE public.p (id int PRIMARY KEY);\n${FUNCTION}
CREATE TABLE public.t (id int REFERENCES public.p ON UPDATE CASCADE CHECK (public.f(id) = 1));\n`,
    /a foreign key changes table public\.t/,
  ],
  ['CREATE VIEW public.v AS SELECT * FROM pg_catalog.pg_authid;\n', /view or rule public\.v, of postgres, reads/],
  ['CREATE VIEW public.v AS SELECT * FROM pg_catalog.pg_shadow;\n', /view or rule public\.v, of postgres, reads/],
]

const PARAMETERS: readonly (readonly [name: string, value: string])[] = [
  ['session_preload_libraries', "'none'"],
  ['local_preload_libraries', "'none'"],
  ['role', 'app'],
  ['session_replication_role', "'replica'"],
  ['lo_compat_privileges', "'on'"],
]

describe.skipIf(noPostgresql).each(inDepth)('postgresql-database in depth under $name', (shell) => {
  test.each([
    ['', sampleOf(RUN, 8)],
    ['admin', RUN.slice(0, 1)],
    ['maker', RUN.slice(1, 2)],
  ])('lets a snapshot do nothing but fill its database, as %j', async (user, texts) => {
    const shop = await database(shell, `run ${user}`, user)
    const before = everything(shop)
    for (const text of texts) {
      const { status, stderr } = await restoreDump(shop, text)
      expect([text, status, stderr]).toEqual([text, 1, expect.stringMatching(/nothing is changed\n$/)])
    }
    expect(everything(shop)).toBe(before)
    await shop.succeed('collect-garbage')
  })

  test('refuses before it writes anything', async () => {
    const shop = await database(shell, 'read')
    const before = everything(shop)
    const texts = [
      { 'dump.sql': '\\restrict x\n\\unrestrict x\n\\! touch PWNED\n' },
      { 'dump.sql': TABLE, 'settings.sql': 'ALTER DATABASE victim OWNER TO app;\n' },
      { 'dump.sql': TABLE, 'create.sql': 'CREATE DATABASE evil;\n' },
    ]
    for (const files of texts) {
      const { status, stderr } = await shop.restore(shop.handMade(files))
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(/line \d of '\w+\.sql' [^\n]*\n.*nothing is changed\n$/),
      ])
    }
    expect(everything(shop)).toBe(before)
    await shop.succeed('collect-garbage')
  })

  test('refuses what would run later with the rights of a superuser', async () => {
    const shop = await database(shell, 'later')
    const before = everything(shop)
    for (const [text, message] of sampleOf(LATER, 4)) {
      const { status, stderr } = await restoreDump(shop, text)
      expect([text, status, stderr]).toEqual([text, 1, expect.stringMatching(message)])
      expect(stderr).toMatch(/set postgresqlTrustSnapshots=1 .*\n.*nothing is changed\n$/)
    }
    expect(everything(shop)).toBe(before)
    const [[text] = ['']] = LATER
    const snapshot = shop.handMade({ 'dump.sql': text })
    const trusting = { DAVIT_SNAPSHOT: snapshot, postgresqlTrustSnapshots: '1' }
    expect(await shop.call('restore', trusting)).toMatchObject({ status: 0, stderr: '' })
    for (const [given] of sampleOf(LATER.slice(1, 3), 1)) {
      const { status, stderr } = await restoreDump(shop, ordinary(given))
      expect([given, status, stderr]).toEqual([given, 0, ''])
    }
    await shop.succeed('collect-garbage')
  })

  test('trusts a snapshot that was taken from the same server, as it was', async () => {
    const shop = await database(shell, 'own')
    server.sql(
      `CREATE FUNCTION strong() RETURNS int SECURITY DEFINER LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION weak() RETURNS int SECURITY DEFINER LANGUAGE sql AS 'SELECT 1'; ALTER FUNCTION weak() OWNER TO app`,
      shop.name,
    )
    const snapshot = await shop.snapshot()
    const rights = 'SELECT proname, proowner::regrole, prosecdef FROM pg_proc WHERE oid > 16384 ORDER BY 1'
    const before = server.sql(rights, shop.name)
    expect(await shop.restore(snapshot)).toMatchObject({ status: 0, stderr: '' })
    expect(server.sql(rights, shop.name)).toBe(before)
    // Not after it was changed, nor when more would run with these rights, nor from another machine.
    const changed = shop.copyOf(snapshot)
    appendFileSync(join(changed, 'dump.sql'), '\n')
    const other = { DAVIT_RUN_DIR: shop.make('other'), DAVIT_SNAPSHOT: shop.copyOf(snapshot) }
    const outcomes = [await shop.restore(changed), await shop.call('restore', other)]
    server.sql('ALTER ROLE app SUPERUSER')
    outcomes.push(await shop.restore(snapshot))
    server.sql('ALTER ROLE app NOSUPERUSER')
    for (const { status, stderr } of outcomes)
      expect([status, stderr]).toEqual([1, expect.stringMatching(/runs with the rights[^]*nothing is changed\n$/)])
    await shop.succeed('collect-garbage')
  })

  test('does not let a snapshot set what only an administrator sets', async () => {
    const shop = await database(shell, 'parameters')
    for (const [name, value] of sampleOf(PARAMETERS, 2)) {
      const settings = `ALTER DATABASE :"database" SET ${name} TO ${value};\n`
      const { status, stderr } = await shop.restore(shop.handMade({ 'dump.sql': TABLE, 'settings.sql': settings }))
      expect([status, stderr]).toEqual([1, expect.stringContaining(`only the server's administrator sets: ${name}\n`)])
      expect(stderr).toMatch(/nothing is changed\n$/)
    }
    const { status, stderr } = await restoreDump(shop, `COMMENT ON DATABASE x IS 'davit: unfinished';\n`)
    expect([status, stderr]).toEqual([1, expect.stringContaining('calls its database unfinished')])
    await shop.succeed('collect-garbage')
  })

  test('loads all that pg_dump writes, with its owners and permissions', async () => {
    const shop = await database(shell, 'honest')
    server.sql(HONEST, shop.name)
    const snapshot = await shop.snapshot()
    const rights = rightsIn(shop)
    expect(await shop.restore(snapshot)).toMatchObject({ status: 0, stderr: '' })
    expect(rightsIn(shop)).toBe(rights)
    expect(server.sql("SELECT rolname FROM pg_roles WHERE rolname LIKE 'davit%'")).toBe('')
    await shop.succeed('collect-garbage')
  })

  test('leaves no account behind when it is killed', async () => {
    const shop = await database(shell, 'killed')
    const snapshot = await shop.snapshot()
    // The account is there from the eighth call of a program or so to the fourteenth.
    for (let n = isThorough ? 4 : 8; n < 16; n += isThorough ? 1 : 2) {
      await shop.killed('restore', n, { DAVIT_SNAPSHOT: shop.copyOf(snapshot) })
      await shop.succeed('activate', 'status')
      expect([n, server.sql("SELECT rolname FROM pg_roles WHERE rolname LIKE 'davit%'")]).toEqual([n, ''])
    }
    await shop.succeed('collect-garbage')
  })

  test('loads what an older pg_dump writes', async () => {
    const shop = await database(shell, 'older')
    expect(await restoreDump(shop, OLD)).toMatchObject({ status: 0, stderr: '' })
    expect(server.sql("SELECT tableowner FROM pg_tables WHERE tablename = 'old'", shop.name)).toBe('app\n')
    expect(server.sql('SELECT * FROM old', shop.name)).toMatch(/^1\|\\! touch .*PWNED\n$/)
    expect(
      server.sql(`SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = '${shop.name}'`),
    ).toBe('of old\n')
    await shop.succeed('collect-garbage')
  })

  test('refuses to load as somebody who may run programs on the server', async () => {
    const shop = await database(shell, 'runner', 'runner')
    const { status, stderr } = await restoreDump(shop, TABLE)
    expect([status, stderr]).toEqual([1, expect.stringMatching(/'runner' may read files[^]*nothing is changed/)])
    await shop.succeed('collect-garbage')
  })

  test('loads as an ordinary user who logs in', async () => {
    const shop = await database(shell, 'ordinary', 'owner')
    expect(await restoreDump(shop, `${TABLE}${ROWS('1\tx')}`)).toMatchObject({ status: 0, stderr: '' })
    const { stderr } = await restoreDump(shop, `COPY (SELECT 1) TO PROGRAM 'true';\n`)
    expect(stderr).toMatch(REFUSED)
    await shop.succeed('collect-garbage')
  })

  test('reads texts with care where psql has no keys', async () => {
    const psql = `#!/bin/sh
case "$*" in *--help=commands*) echo none; exit ;; esac
exec '${binDirectory}/psql' "$@"
`
    const old = { postgresqlBinDir: programs(psql) }
    const shop = await database(shell, 'careful')
    const call = (text: string) => shop.call('restore', { ...old, DAVIT_SNAPSHOT: shop.handMade({ 'dump.sql': text }) })
    expect(await call(`${TABLE}${ROWS('1\t\\\\! true')}`)).toMatchObject({ status: 0, stderr: '' })
    for (const text of [
      '\\! touch PWNED\n',
      `SELECT 'a\\';\n`,
      'CREATE FUNCTION public.f() RETURNS int BEGIN ATOMIC SELECT 1; END;\n',
    ])
      expect([text, (await call(text)).stderr]).toEqual([text, expect.stringMatching(REFUSED)])
    await shop.succeed('collect-garbage')
  })

  test('shows neither what a link points to nor what is in a row', async () => {
    const shop = await database(shell, 'secret')
    const secret = join(shop.directory, 'secret')
    writeFileSync(secret, 'root:secret')
    symlinkSync(secret, join(shop.make('linked'), 'dump.sql'))
    const linked = await shop.restore(join(shop.directory, 'linked'))
    expect(linked).toMatchObject({ status: 1, stderr: expect.stringContaining('is neither a file nor a directory') })
    const row = await restoreDump(
      shop,
      `${TABLE}ALTER TABLE public.t ADD UNIQUE (word);\n${ROWS('1\tsecret', '2\tsecret')}`,
    )
    expect(row).toMatchObject({ status: 1, stderr: expect.stringMatching(/:\d+: ERROR: {2}duplicate key/) })
    expect(linked.stderr + row.stderr).not.toMatch(/root:secret|=\(secret\)/)
    await shop.succeed('collect-garbage')
  })

  test('says what to allow where the account cannot log in', async () => {
    const shop = await database(shell, 'closed')
    const refusing = `#!/bin/sh
[ "\${PGUSER#davit-load-}" = "$PGUSER" ] || { echo 'psql: error: no entry for it' >&2; exit 2; }
exec '${binDirectory}/psql' "$@"
`
    const given = { postgresqlBinDir: programs(refusing), DAVIT_SNAPSHOT: shop.handMade({ 'dump.sql': TABLE }) }
    const { status, stderr } = await shop.call('restore', given)
    expect([status, stderr]).toEqual([1, expect.stringMatching(/no entry for it\n.*cannot log in.*pg_hba\.conf/)])
    expect(server.sql("SELECT rolname FROM pg_roles WHERE rolname LIKE 'davit%'")).toBe('')
    await shop.succeed('collect-garbage')
  })
})

const HONEST = `CREATE SCHEMA "an app"; CREATE EXTENSION pgcrypto; CREATE TYPE mood AS ENUM ('a', 'b');
CREATE TABLE "an app"."t;x" (id serial PRIMARY KEY, word text DEFAULT 'it''s; $$', m mood); COMMENT ON TABLE "an app"."t;x" IS E'a\\\\b
\\\\! c';
INSERT INTO "an app"."t;x" (word) VALUES (E'\\\\.'), (E'a\\tb\\\\'), (NULL);
CREATE FUNCTION double(n int) RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT CASE WHEN n > 0 THEN 2 * n ELSE n END; END;
CREATE FUNCTION says() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN RAISE NOTICE '\\! %; $$', NEW.id; RETURN NEW; END $f$;
CREATE TRIGGER x BEFORE UPDATE ON "an app"."t;x" FOR EACH ROW EXECUTE FUNCTION says();
CREATE VIEW v AS SELECT id, word FROM "an app"."t;x" WHERE word ~ '^\\d+$' OR word <> E'\\n';
CREATE MATERIALIZED VIEW mv AS SELECT count(*) FROM "an app"."t;x"; CREATE INDEX ON "an app"."t;x" (lower(word));
ALTER TABLE "an app"."t;x" ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON "an app"."t;x" TO app USING (word = current_user);
ALTER TABLE "an app"."t;x" OWNER TO app; GRANT SELECT (id), UPDATE (word) ON "an app"."t;x" TO owner WITH GRANT OPTION;
GRANT USAGE ON SCHEMA "an app" TO PUBLIC;
SET SESSION AUTHORIZATION owner; GRANT SELECT (id) ON "an app"."t;x" TO maker; RESET SESSION AUTHORIZATION;
REVOKE INSERT ON "an app"."t;x" FROM app; REVOKE ALL ON FUNCTION double(int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION double(int) TO app; GRANT USAGE ON TYPE mood TO owner; ALTER TYPE mood OWNER TO app;
ALTER DEFAULT PRIVILEGES IN SCHEMA "an app" GRANT SELECT ON TABLES TO owner; REVOKE CREATE ON SCHEMA public FROM PUBLIC;
CREATE AGGREGATE total (int) (SFUNC = int4pl, STYPE = int); ALTER AGGREGATE total(int) OWNER TO app;
CREATE SEQUENCE "q""q"; ALTER SEQUENCE "q""q" OWNER TO app; SELECT lo_from_bytea(4711, E'\\\\x5c00'); ALTER LARGE OBJECT 4711 OWNER TO app;
GRANT SELECT ON LARGE OBJECT 4711 TO owner; COMMENT ON EXTENSION pgcrypto IS 'ours';`

const OLD = `SET statement_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
COMMENT ON DATABASE "some other" IS 'of old';
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS plpgsql WITH SCHEMA pg_catalog;
COMMENT ON EXTENSION plpgsql IS 'PL/pgSQL procedural language';
SET search_path = public, pg_catalog;
CREATE TABLE old (id integer, word text);
ALTER TABLE public.old OWNER TO app;
COPY old (id, word) FROM stdin;
1\t\\\\! touch PWNED
\\.
REVOKE ALL ON SCHEMA public FROM PUBLIC;
REVOKE ALL ON SCHEMA public FROM postgres;
GRANT ALL ON SCHEMA public TO postgres;
GRANT ALL ON SCHEMA public TO PUBLIC;
SET SESSION AUTHORIZATION app;
GRANT SELECT ON TABLE old TO owner;
RESET SESSION AUTHORIZATION;
`

/** The same, of an ordinary role. */
function ordinary(text: string): string {
  const owners = [...text.matchAll(/^CREATE (TABLE|FUNCTION|VIEW) (public\.\w)(\([\w, ]*\))?/gm)]
  const given = owners.map(([, kind, name, args = '']) => `ALTER ${kind} ${name}${args} OWNER TO app;\n`)
  return text.replace('OWNER TO admin', 'OWNER TO app') + given.join('')
}

/** What a hostile snapshot could have changed. */
function everything(shop: Database): string {
  expect(existsSync(join(shop.directory, 'PWNED'))).toBe(false)
  expect(existsSync('/PWNED')).toBe(false)
  const shared = `SELECT datname, datdba, datacl FROM pg_database ORDER BY 1; SELECT * FROM pg_authid ORDER BY 1;
SELECT * FROM pg_db_role_setting; SELECT * FROM pg_auth_members ORDER BY 1, 2`
  return server.sql(`${shared};
\\connect victim
TABLE t; SELECT relacl FROM pg_class;
\\connect "${shop.name}"
TABLE kept`)
}

function rightsIn(shop: Database): string {
  const text = server.sql(
    `SELECT n.nspname, relname, pg_get_userbyid(relowner), relacl FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
  WHERE n.nspname NOT LIKE 'pg_toast%' ORDER BY 1, 2;
SELECT attrelid::regclass, attname, attacl FROM pg_attribute WHERE attacl IS NOT NULL ORDER BY 1, 2;
SELECT nspname, pg_get_userbyid(nspowner), nspacl FROM pg_namespace ORDER BY 1;
SELECT oid::regprocedure, pg_get_userbyid(proowner), proacl FROM pg_proc WHERE oid >= 16384 ORDER BY 1::text;
SELECT typname, pg_get_userbyid(typowner), typacl FROM pg_type WHERE oid >= 16384 ORDER BY 1;
SELECT pg_get_userbyid(defaclrole), defaclacl FROM pg_default_acl;
SELECT extname, pg_get_userbyid(extowner), obj_description(oid) FROM pg_extension ORDER BY 1;
SELECT pg_get_userbyid(lomowner), lomacl FROM pg_largeobject_metadata; TABLE "an app"."t;x"`,
    shop.name,
  )
  return text
}

/** A directory with programs of the server, and another psql. */
function programs(psql: string): string {
  const others = ['pg_dump', 'pg_isready'].map((name) => [name, `#!/bin/sh\nexec '${binDirectory}/${name}' "$@"\n`])
  const directory = scratchPath({ psql, ...Object.fromEntries(others) })
  chmodSync(directory, 0o755)
  return directory
}

function restoreDump(shop: Database, text: string) {
  return shop.restore(shop.handMade({ 'dump.sql': text.replaceAll('PWNED', join(shop.directory, 'PWNED')) }))
}

async function database(shell: Shell, name: string, user = ''): Promise<Database> {
  const shop = new Database(shell, 'postgresql-database', {
    name: `${name} ${shell.name}`.trim().replaceAll(/ +/g, '_'),
    seeds: { 'postgresql-databases/1.sql': "CREATE TABLE kept AS SELECT 'kept' AS word;\n" },
    properties: {
      postgresqlRuntimeDir: server.directory,
      postgresqlPort: `${server.port}`,
      postgresqlBinDir: binDirectory,
      ...(user === '' ? {} : { postgresqlUsername: user, postgresqlPassword: 'x' }),
    },
  })
  await shop.succeed('activate')
  return shop
}
