import type { Database } from './database.ts'
import type { Postgresql } from './postgresql.ts'
import { type Leak, restored, seeded } from './state-proofs.ts'

export const SEED = 'postgresql-databases/1.sql'
export const HELLO =
  "CREATE TABLE hello (id INT PRIMARY KEY, word TEXT UNIQUE); INSERT INTO hello VALUES (1, 'Hello world');\n"

const seed = (what: string, text: string, said: RegExp) =>
  seeded(`a seed has ${what}`, SEED, `${HELLO}\n${text}\n`, said)

const T = 'CREATE TABLE public.t (id int, word text UNIQUE);\n'

/** What fails over content that must not be seen. */
export const LEAKS: readonly Leak<Postgresql, Database>[] = [
  seed(
    'a row twice',
    "INSERT INTO hello VALUES (7, 'SECRET'),\n (8, 'SECRET');",
    /1\.sql:4: ERROR: {2}duplicate key value violates unique constraint "hello_word_key"\n/,
  ),
  seed('bad syntax', "INSERT INTO hello VALUES (7 'SECRET');", /1\.sql:3: ERROR: {2}42601, a syntax error/),
  seed('a text for a number', "INSERT INTO hello VALUES ('SECRET', '');", /1\.sql:3: ERROR: {2}22P02, a value that/),
  seed('a name for a text', 'INSERT INTO hello VALUES (7, "SECRET");', /1\.sql:3: ERROR: {2}42703, a column/),
  seed('rows of a COPY', 'COPY hello FROM stdin;\n7\tSECRET\nSECRET\tx\n\\.', /1\.sql:6: ERROR: {2}22P02/),
  seed(
    'a function that fails',
    `DO $$ BEGIN RAISE NOTICE E'first\\npsql: error: SECRET';
RAISE unique_violation USING MESSAGE = 'SECRET', DETAIL = 'SECRET', HINT = 'SECRET'; END $$;`,
    /1\.sql:4: ERROR: {2}P0001, raised by a function/,
  ),
  seed('an answer', "SELECT 'SECRET'; SELECT 1 / 0;", /1\.sql:3: ERROR: {2}22012/),
  seed('a command', "INSERT INTO hello VALUES (7, 'it\\'SECRET\\SECRET');", /1\.sql:3: error: invalid command/),
  seed('a parameter', "SET work_mem = 'SECRET';", /1\.sql:3: ERROR: {2}22023/),
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
  {
    kind: 'other',
    what: 'a snapshot is taken of text that is not UTF-8',
    async fail(server, service, secret) {
      notUtf8(server, service.name, secret)
      return service.call('snapshot', { DAVIT_SNAPSHOT: service.make('linked') })
    },
    said: /not UTF-8 .*'public\.broken, row 2'/,
  },
]

/** Puts a text into a table that is not UTF-8. */
export function notUtf8(server: Postgresql, name: string, text = ''): void {
  server.sql(
    `CREATE CAST (bytea AS text) WITHOUT FUNCTION; CREATE TABLE broken AS SELECT 'Schlüssel €' AS word;
INSERT INTO broken VALUES (('\\xe9'::bytea || '${text}'::bytea)::text); DROP CAST (bytea AS text)`,
    name,
  )
}
