import { isThorough, sampleOf } from '@davit/testing/effort'

import type { Database } from './database.ts'
import { notUtf8 } from './postgresql-leaks.ts'
import type { Postgresql } from './postgresql.ts'
import type { Omission, Treasure } from './state-proofs.ts'

/** What is not in the database itself: its encoding and locale, owner, permissions, comment, settings. */
export const SHARED = (
  name: string,
) => `SELECT pg_encoding_to_char(encoding), datcollate, datctype, datlocprovider, daticulocale, datistemplate,
  datconnlimit, pg_get_userbyid(datdba), shobj_description(d.oid, 'pg_database'), spcname, datacl
  FROM pg_database d JOIN pg_tablespace t ON t.oid = dattablespace WHERE datname = '${name}';
SELECT pg_get_userbyid(setrole), entry FROM pg_db_role_setting JOIN pg_database d ON d.oid = setdatabase, unnest(setconfig) entry
  WHERE datname = '${name}' ORDER BY 1, 2`

function treasure(what: string, statements: string, question: string, place?: string): Treasure<Postgresql, Database> {
  return {
    what,
    ...(place === undefined ? {} : { place }),
    make: (server, { name }) => void server.sql(statements.replaceAll('NAME', name), name),
    ask: (server, { name }) => server.sql(`${question.replaceAll('NAME', name)}; ${SHARED(name)}`, name),
  }
}

/** A database in another encoding, with bytes that are not UTF-8. */
function encoded(encoding: string, bytes: string, locale = 'C'): Treasure<Postgresql, Database> {
  return {
    what: `text in ${encoding}`,
    place: encoding,
    make(server, { name }) {
      server.sql(`DROP DATABASE "${name}"`)
      server.sql(`CREATE DATABASE "${name}" TEMPLATE template0 ENCODING '${encoding}' LOCALE '${locale}'`)
      server.sql(
        `SET client_encoding = '${encoding}'; CREATE TABLE words (word TEXT); INSERT INTO words VALUES (E'${bytes}'), ('a\\\\b''');
COMMENT ON TABLE words IS E'${bytes}'`,
        name,
      )
    },
    ask: (server, { name }) =>
      server.sql(
        `SELECT encode(convert_to(word, '${encoding}'), 'hex') FROM words;
SELECT encode(convert_to(obj_description('words'::regclass), '${encoding}'), 'hex'); ${SHARED(name)}`,
        name,
      ),
  }
}

export const TREASURES: readonly Treasure<Postgresql, Database>[] = [
  treasure(
    'comment, owner, permissions and settings of the database',
    `COMMENT ON DATABASE "NAME" IS E'it''s\\n\\\\x'; ALTER DATABASE "NAME" SET search_path = "a b", public; ALTER DATABASE "NAME" IS_TEMPLATE true;
ALTER DATABASE "NAME" SET my.own = 'ü'; ALTER ROLE app IN DATABASE "NAME" SET work_mem = '1MB'; ALTER DATABASE "NAME" CONNECTION LIMIT 7;
REVOKE ALL ON DATABASE "NAME" FROM PUBLIC; GRANT CONNECT ON DATABASE "NAME" TO app WITH GRANT OPTION; ALTER DATABASE "NAME" OWNER TO app;
ALTER DATABASE "NAME" IS_TEMPLATE false`,
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
  {
    what: 'a tablespace and a locale of ICU',
    place: 'elsewhere',
    make(server, { name }) {
      server.sql(`DROP DATABASE "${name}"`)
      server.sql(
        `CREATE DATABASE "${name}" TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'de-u-co-phonebk' TABLESPACE elsewhere`,
      )
    },
    ask: (server, { name }) => server.sql(SHARED(name)),
  },
  treasure(
    'the lack of the schema public',
    'DROP SCHEMA public CASCADE',
    'SELECT nspname FROM pg_namespace ORDER BY 1',
    'elsewhere',
  ),
  ...sampleOf(
    [encoded('SQL_ASCII', 'Ren\\xe9'), encoded('LATIN1', 'Ren\\xe9'), encoded('EUC_JP', '\\xc6\\xfc\\xcb\\xdc')],
    1,
  ),
]

const LARGE = isThorough ? 9 : 1
const WIDE = isThorough ? 1000 : 200

export const BURDENS: readonly Treasure<Postgresql, Database>[] = [
  treasure(
    `a value of ${LARGE} MB, and a row of ${WIDE} columns`,
    `INSERT INTO hello VALUES (2, NULL); CREATE TABLE big AS SELECT repeat(E'x\\\\', ${LARGE * 500_000}) AS text, decode(repeat('00ff', 500000), 'hex') AS bytes;
SELECT format('CREATE TABLE wide (%s)', string_agg(format('c%s int DEFAULT %1$s', n), ', ')) FROM generate_series(1, ${WIDE}) n \\gexec
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

export const OMISSIONS: readonly Omission<Postgresql, Database>[] = [
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
    `ALTER DATABASE "NAME" SET log_statement = 'ddl'`,
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
    "SELECT pg_create_logical_replication_slot(lower('NAME'), 'pgoutput')",
    /replication slot \S+ is not in the snapshot/,
  ),
  omission(
    'invalid indexes',
    "CREATE INDEX bad ON hello (id); UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'bad'::regclass",
    /index public\.bad is invalid/,
  ),
]

function omission(what: string, statements: string, said: RegExp): Omission<Postgresql, Database> {
  return {
    what,
    make: (server, { name }) => void server.sql(statements.replaceAll('NAME', name), name),
    status: 'left out',
    said,
  }
}
