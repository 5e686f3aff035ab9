import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

import { installedShells, scratchPath } from './scene.ts'

// The reader is a program of awk, and there are several awks.
const shells = installedShells()
const readers = [...shells, ...(existsSync('/usr/bin/mawk') ? [{ name: 'mawk', path: withMawk() }] : [])]
const READER = new URL('../modules/shared/postgresql-dump.sh', import.meta.url).pathname

const TABLE = 'CREATE TABLE public.t (id int, word text);\n'
const ROWS = (...rows: readonly string[]) => `COPY public.t (id, word) FROM stdin;\n${rows.join('\n')}\n\\.\n`

/** Dumps that are refused. */
const READ: readonly string[] = [
  '\\! touch PWNED\n',
  '\\restrict x\n\\unrestrict x\n\\! touch PWNED\n',
  '\\restrict x\n\\unrestrict y\n\\! touch PWNED\n',
  '\\restrict x\n\\restrict y\nSELECT 1;\n\\unrestrict x\n',
  '\\restrict x\nSELECT 1;\n\\unrestrict x\nSELECT 2;\n',
  'SELECT 1;\n\\restrict x\n\\unrestrict x\n',
  'SELECT 1 \\! touch PWNED\n',
  'SELECT 1 \\g |touch PWNED\n',
  'SELECT 1; \\o |touch PWNED\n',
  '\\i /etc/passwd\n',
  '\\connect victim\n',
  '\\setenv PAGER touch\n',
  '\\set x `touch PWNED`\n',
  `${TABLE}\\copy public.t from program 'touch PWNED'\n`,
  `${TABLE}${ROWS('1\tx')}\\! touch PWNED\n`,
  `SELECT 'it''s' \\! touch PWNED\n`,
  `SELECT '\\' \\! touch PWNED --'\n`,
  `SELECT E'\\\\' \\! touch PWNED --'\n`,
  `SELECT E'a\\'b' \\! touch PWNED --'\n`,
  `SELECT E'a''\\'' \\! touch PWNED --'\n`,
  `SELECT E'a'\n'\\' \\! touch PWNED --'\n`,
  `SELECT E'a' -- b\n  '\\'\n\\! touch PWNED\n--';\n`,
  `SELECT "a""b" \\! touch PWNED\n`,
  `SELECT $a$ $b$ $a$ \\! touch PWNED\n`,
  `SELECT $$ $a$$ \\! touch PWNED\n`,
  `SELECT a$a$ \\! touch PWNED\n$a$;\n`,
  `SELECT /* /* */ ' */ 1 \\! touch PWNED /* ' */\n`,
  `SELECT 1 -- '\n\\! touch PWNED\n--'\n`,
  `SELECT 1/*'*/\\! touch PWNED\n--'\n`,
  `SELECT 1e'\\' \\! touch PWNED\n--';\n`,
  `${TABLE}COPY public.t FROM stdin; SELECT 1;\n1\tx\n\\.\n`,
  `${TABLE}COPY public.t FROM stdin; COPY public.t FROM stdin;\n1\tx\n\\.\n\\! touch PWNED\n\\.\n`,
  `${TABLE}COPY public.t FROM '/etc/passwd';\n`,
  `${TABLE}COPY public.t TO '/tmp/x';\n`,
  `${TABLE}COPY public.t FROM PROGRAM 'touch PWNED';\n`,
  `COPY (SELECT 1) TO PROGRAM 'touch PWNED';\n`,
  `/* x */ copy public.t from program 'touch PWNED';\n`,
  'ALTER SYSTEM SET archive_command = x;\n',
  'CREATE ROLE evil SUPERUSER;\n',
  "CREATE USER evil PASSWORD 'x';\n",
  'create\nuser evil;\n',
  'ALTER ROLE app SUPERUSER;\n',
  'DROP DATABASE victim;\n',
  'ALTER DATABASE victim SET search_path = evil;\n',
  'GRANT app TO PUBLIC;\n',
  'GRANT ALL ON DATABASE victim TO PUBLIC;\n',
  "LOAD '/tmp/evil.so';\n",
  'DO $$BEGIN PERFORM 1; END$$;\n',
  'SET ROLE postgres;\n',
  'RESET ROLE;\n',
  'REASSIGN OWNED BY app TO owner;\n',
  'SET standard_conforming_strings = off;\n',
  "SELECT pg_catalog.set_config('standard_conforming_strings', 'off', false);\n",
  "SET client_encoding = 'SJIS';\n",
  `SELECT 'not ended;\n`,
  `${TABLE}COPY public.t FROM stdin;\n1\tx\n`,
]

/** Settings that are refused. */
const SETTINGS: readonly string[] = [
  'ALTER SYSTEM SET work_mem = 1;\n',
  'ALTER DATABASE victim OWNER TO app;\n',
  'ALTER DATABASE :"new" OWNER TO app;\n',
  'CREATE ROLE evil SUPERUSER;\n',
  'ALTER DATABASE :"database" OWNER TO app; DROP DATABASE victim;\n',
  'ALTER DATABASE :"database" SET search_path TO a; SELECT 1;\n',
  'GRANT app TO PUBLIC;\n',
  '\\! touch PWNED\n',
  `ALTER DATABASE :"database" SET work_mem TO '1MB' \\! touch PWNED\n`,
]

const CREATIONS: readonly string[] = [
  'CREATE DATABASE :"database" TEMPLATE victim;\n',
  'CREATE DATABASE evil;\n',
  'SELECT 1;\n',
  '\\! touch PWNED\n',
]

/** Statements, and the part in which they are. */
const PARTS: readonly (readonly [text: string, own: string, rights: string])[] = [
  [`-- a\n${TABLE}`, `\n${TABLE}`, ''],
  [
    'ALTER TABLE public."a;\'b" OWNER TO "the app";\nSELECT 1;\n',
    '\nSELECT 1;\n',
    'ALTER TABLE public."a;\'b" OWNER TO "the app";\n',
  ],
  [
    'ALTER FUNCTION public.f(n integer) OWNER TO app; SELECT 1;\n',
    'SELECT 1;\n',
    'ALTER FUNCTION public.f(n integer) OWNER TO app;\n',
  ],
  [
    'GRANT SELECT(id),UPDATE("w") ON TABLE public.t TO app;\n',
    '\n',
    'GRANT SELECT(id),UPDATE("w") ON TABLE public.t TO app;\n',
  ],
  [
    'ALTER TABLE public.t ADD CHECK (f()), OWNER TO postgres;\n',
    'ALTER TABLE public.t ADD CHECK (f()), OWNER TO postgres;\n',
    '',
  ],
  [
    'ALTER TABLE public.t ALTER id SET DEFAULT f() OWNER TO x;\n',
    'ALTER TABLE public.t ALTER id SET DEFAULT f() OWNER TO x;\n',
    '',
  ],
  [
    `${TABLE}${ROWS('1\t\\\\! x', 'GRANT app TO y;', "it's")}`,
    `${TABLE}${ROWS('1\t\\\\! x', 'GRANT app TO y;', "it's")}`,
    '',
  ],
  [
    'CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN 1 > 0 THEN 1 END; SELECT 2; END;\nSELECT 3;\n',
    'CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN 1 > 0 THEN 1 END; SELECT 2; END;\nSELECT 3;\n',
    '',
  ],
  [`SELECT 'a''b\n;', $x$ ' $$ ; $x$, E'\\';', "c"";";\n`, `SELECT 'a''b\n;', $x$ ' $$ ; $x$, E'\\';', "c"";";\n`, ''],
  ['SELECT 1 /* a; /* b */ c */ + 2 -- d;\n;\n', 'SELECT 1   + 2 \n;\n', ''],
  [`SELECT '${'x'.repeat(20_000)}';\nSELECT 1;\n`, `SELECT '${'x'.repeat(20_000)}';\nSELECT 1;\n`, ''],
  ['\\restrict k\n\nSELECT 1;\n\\unrestrict k\n\n-- end\n', '\n\nSELECT 1;\n\n\n\n', ''],
  [
    'SET search_path = public, pg_catalog;\n',
    'SET search_path = public, pg_catalog;\n',
    'SET search_path = public, pg_catalog;\n',
  ],
]

describe.each(readers)('SQL of strangers under $name', ({ path }) => {
  test.each([
    ['rights', READ],
    ['settings', SETTINGS],
    ['creation', CREATIONS],
  ])('is refused for %s, with its line', (part, texts) => {
    const answers = read(path, part, texts)
    for (const [index, text] of texts.entries())
      expect([text, answers[index]]).toEqual([
        text,
        expect.objectContaining({
          status: '1',
          stderr: expect.stringMatching(/^postgresql-database: line \d+ of 'dump\.sql' .*\n$/),
        }),
      ])
  })

  test.each(['own', 'rights'])('gives its part %s', (part) => {
    const answers = read(
      path,
      part,
      PARTS.map(([text]) => text),
    )
    for (const [index, [text, own, rights]] of PARTS.entries())
      expect([text, answers[index]]).toEqual([text, { status: '0', stdout: part === 'own' ? own : rights, stderr: '' }])
  })

  test('may have long lines, but not endless ones', () => {
    const long = [
      "SELECT '" + " ''".repeat(8_000) + "';\n",
      `SELECT ${'('.repeat(9_000)}${')'.repeat(9_000)};\n`,
      'SELECT 1;'.repeat(4_000),
    ]
    expect(read(path, 'own', long).map(({ status }) => status)).toEqual(['0', '0', '0'])
    expect(read(path, 'own', [';'.repeat(20_001)])).toMatchObject([
      { status: '1', stderr: expect.stringContaining('is too long') },
    ])
  })
})

/** Reads each of these texts in one shell. */
function read(path: string, part: string, texts: readonly string[]) {
  const directory = scratchPath(Object.fromEntries(texts.map((text, index) => [`${index}`, text])))
  const script = `. "$0"; psql_reads_key=no new=davit-new-x; for text in "$1"/*; do
  read_sql dump.sql "$2" <"$text" >"$text.out" 2>"$text.err"; printf '%s' "$?" >"$text.status"
done`
  const { stderr } = spawnSync('sh', ['-c', script, READER, directory, part], {
    env: { PATH: path, LC_ALL: 'C' },
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  const file = (index: number, suffix: string) => readFileSync(join(directory, `${index}.${suffix}`), 'utf8')
  return texts.map((_, index) => ({
    status: file(index, 'status'),
    stdout: file(index, 'out'),
    stderr: file(index, 'err'),
  }))
}

function withMawk(): string {
  const directory = scratchPath({})
  symlinkSync('/usr/bin/mawk', join(directory, 'awk'))
  return `${directory}:/usr/bin:/bin`
}
