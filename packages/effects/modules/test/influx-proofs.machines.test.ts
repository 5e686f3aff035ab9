import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isThorough } from '@davit/testing/effort'
import type { Shell } from '@davit/testing/shells'

import { Database } from './database.ts'
import { ADMIN, type Influxdb, noInfluxdb, startInfluxdb } from './influxdb.ts'
import { installedShells, scratchPath } from './scene.ts'
import { type OddServer, proveState, restored, seeded, type StateKind, type Treasure } from './state-proofs.ts'

type Kind = StateKind<Influxdb, Database>

const shells = installedShells()
const HELLO = '# DML\nhello,id=1 word="Hello world" 1\n'
const DAY = 86_400_000_000_000n
/** How many bytes the server takes at once. */
const REQUEST = isThorough ? 25_000_000 : 3_000_000

function treasure(
  what: string,
  make: (server: Influxdb, name: string) => unknown,
  ...questions: readonly string[]
): Treasure<Influxdb, Database> {
  return {
    what,
    make: async (server, { name }) => void (await make(server, name)),
    // The order of queries may be another one.
    ask: (server, { name }) =>
      questions.flatMap((each) => server.query(each.replaceAll('NAME', name)).split('\n').toSorted()).join('\n'),
  }
}

const seed = (what: string, text: string, said: RegExp) =>
  seeded(`a seed has ${what}`, 'influx-databases/1.sql', text, said)

const LEAKS: Kind['leaks'] = [
  seed(
    'bad syntax',
    '# DDL\nCREATE USER x WITH PASSWORD SECRET\n',
    /error parsing query at line 1, char \d+\n.*line 2 of/,
  ),
  seed('a point that is none', '# DML\nm v=1 1\nm SECRET="SECRET \\"x\\"\n', /unbalanced quotes\n.*line 3 of/),
  seed(
    'a point of another type',
    '# DML\nm v=1 1\nm v="SECRET" 2\n',
    /field type conflict\n.*1\.sql' cannot be loaded/,
  ),
  restored('restore', 'points.txt', 'm,t=SECRET v="SECRET" 1\nm,t=SECRET v= 2\n', /missing field value\n.*line 4 of/),
  restored('restore', 'points.txt', 'm v="SECRET\u0001nx" 1\nm v= 2\n', /missing field value/),
  restored('restore', 'points.txt', 'm v="SECRET" 1\nm v="x" 1\n', /after it was loaded/),
  restored('restore', 'statements.txt', "CREATE USER x WITH PASSWORD 'SECRET'\n", /line 2 of 'statements\.txt' is not/),
  restored('restore', 'policies.tsv', 'SECRET\t1\n', /line 2 of 'policies\.tsv' is not/),
  restored('verify', 'points.txt', 'm v=SECRET 1\n', /invalid boolean|invalid field format|invalid number/),
]

const TREASURES: Kind['treasures'] = [
  treasure(
    'points of all types and times, and fields that are called like tags',
    async (server, name) => {
      await server.write(
        name,
        String.raw`m,v=tag v=1.5,i=9223372036854775807i,b=true,s="a\"b\\ ü" -9223372036854775806
m,v=tag v=2 9223372036854775806
m v=3,time2=1 1`,
      )
      await server.write(name, `only,t=x s="two\nlines" ${400n * DAY}`)
    },
    'SELECT v::field, v::tag, i, b, s FROM NAME.autogen.m',
    'SELECT * FROM NAME.autogen."only"',
  ),
  treasure(
    'points that are older than their policy',
    async (server, name) => {
      await server.write(name, `old v=1 ${DAY}`)
      server.query(`ALTER RETENTION POLICY autogen ON "${name}" DURATION 1000w`)
    },
    'SELECT * FROM NAME.autogen.old',
  ),
  // It makes points of others too old, so it comes last.
  treasure(
    'policies with their durations, queries and subscriptions',
    (server, name) =>
      server.query(`CREATE RETENTION POLICY "p q" ON "${name}" DURATION 52w REPLICATION 1 SHARD DURATION 3d DEFAULT;
ALTER RETENTION POLICY autogen ON "${name}" DURATION 9w SHARD DURATION 2d;
CREATE CONTINUOUS QUERY "q ü" ON "${name}" RESAMPLE EVERY 1h FOR 2h BEGIN SELECT mean(v) INTO "m 2" FROM m WHERE t =~ /^x\\/y/ GROUP BY time(1h), * END;
CREATE SUBSCRIPTION s ON "${name}"."p q" DESTINATIONS ANY 'udp://127.0.0.1:9', 'udp://127.0.0.1:10'`),
    'SHOW RETENTION POLICIES ON NAME',
    'SHOW CONTINUOUS QUERIES',
    'SHOW SUBSCRIPTIONS',
  ),
]

const BURDENS: Kind['burdens'] = [
  treasure(
    'more in less than 5,000 points than the server takes at once, and values of 2 MB',
    async (server, name) => {
      const point = (n: number, size: number) => `big v="${String(n).padEnd(size, 'x')}" ${n}`
      for (let n = 0; n < 6; n++)
        await server.write(name, [point(2 * n, REQUEST / 10), point(2 * n + 1, REQUEST / 10)].join('\n'))
      await server.write(name, point(100, 2_000_000))
    },
    'SELECT count(v) FROM NAME.autogen.big',
  ),
]

const OMISSIONS: Kind['omissions'] = [
  {
    what: 'permissions of users',
    make: (server, { name }) =>
      void server.query(`CREATE USER reader WITH PASSWORD 'x'; GRANT READ ON "${name}" TO reader`),
    status: 'left out',
    said: /permissions of users belong to the server, and are not in the snapshot: reader READ/,
  },
  {
    what: 'a field of two types',
    async make(server, { name }) {
      await server.write(name, 'm v=1 1')
      await server.write(name, `m v="x" ${30n * DAY}`)
    },
    status: 'refused',
    said: /the field 'v' of 'm' is of several types/,
  },
  {
    what: 'a policy that the client cannot write to',
    async make(server, { name }) {
      server.query(`CREATE RETENTION POLICY "a:b" ON "${name}" DURATION INF REPLICATION 1`)
    },
    status: 'refused',
    said: /retention policy named 'a:b'/,
  },
]

/** A client that fails at its n-th import. */
function failing(n: number): Readonly<Record<string, string>> {
  const count = join(scratchPath({}), 'n')
  const influx = `#!/bin/sh
case " $* " in *' -import '*)
  echo >>'${count}'
  [ "$(wc -l <'${count}')" != ${n} ] || { echo 'no space left' >&2; exit 1; }
esac
exec /usr/bin/influx "$@"
`
  return { influxdbBinDir: scratchPath({ influx }) }
}

const ODD: readonly OddServer<Influxdb>[] = [
  {
    what: 'one that takes 2 MB at once',
    async start() {
      const server = await startInfluxdb('max-body-size = 2000000')
      const lines = (n: number) => Array.from({ length: 20 }, (_, i) => `big v="${'x'.repeat(60_000)}" ${20 * n + i}`)
      server.query('CREATE DATABASE large')
      for (let n = 0; n < 4; n++) await server.write('large', lines(n).join('\n'))
      return { server, end: () => server.stop() }
    },
  },
]

const KIND: Kind = {
  module: 'influx-database',
  missing: noInfluxdb,
  start: () => startInfluxdb(`max-body-size = ${REQUEST}`),
  stop: (server) => server.stop(),
  service,
  read(server, { name }) {
    if (!server.query('SHOW DATABASES').split('\n').includes(`databases,${name}`)) return 'absent'
    return (
      server.query(`SELECT * FROM "${name}"../.*/`) +
      server.query(`SHOW RETENTION POLICIES ON "${name}"`) +
      server.query('SHOW CONTINUOUS QUERIES')
    )
  },
  async change(server, { name }, word) {
    if (server.query('SHOW DATABASES').includes('large')) server.query(`SELECT * INTO "${name}"..big FROM large..big`)
    await server.write(name, `hello,id=2 word="${word}" 2`)
  },
  around: (server) => ['SHOW DATABASES', 'SHOW SUBSCRIPTIONS'].map((each) => server.query(each)).join(''),
  unloadable: [
    ['has points of two types', spoiled('points.txt', 'm v=1 1\nm v="x" 2\n'), /field type conflict/],
    ['has a point twice', spoiled('points.txt', 'm v=1 1\nm v=2 1\n'), /after it was loaded/],
    [
      'has a query that no server reads',
      query('SELECT mean(v INTO NAME.autogen.n FROM NAME.autogen.m GROUP BY time(1h)'),
      /error parsing query[^]*does not take a statement/,
    ],
    [
      'has a subscription for a policy that it lacks',
      named('statements.txt', `CREATE SUBSCRIPTION s ON NAME.other DESTINATIONS ALL 'udp://127.0.0.1:9'\n`),
      /retention policy not found[^]*does not take a statement/,
    ],
    [
      'has a subscription with an address of another kind',
      named('statements.txt', `CREATE SUBSCRIPTION s ON NAME.autogen DESTINATIONS ALL 'other://127.0.0.1:9'\n`),
      /invalid subscription URL[^]*does not take a statement/,
    ],
    [
      'has a query for a policy that it lacks',
      query('SELECT mean(v) INTO NAME.other.n FROM NAME.autogen.m GROUP BY time(1h)'),
      /retention policy not found[^]*does not take/,
    ],
    [
      'calls itself unfinished',
      spoiled('policies.tsv', 'davit making\t0s\t168h0m0s\t1\tfalse\n'),
      /calls the database unfinished/,
    ],
  ],
  theirs: [
    [
      'a database of somebody, after an activation that was interrupted before it made its own',
      async (server, service) => {
        service.write(privateFile(service, 'making'), '')
        server.query(`CREATE DATABASE "${service.name}"`)
        await server.write(service.name, 'theirs v=1 1')
      },
    ],
    [
      'a database of somebody, after a restore that was interrupted on another server',
      async (server, service) => {
        await service.succeed('activate')
        const snapshot = await service.snapshot()
        await service.succeed('collect-garbage')
        for (const file of ['policies.tsv', 'statements.txt', 'points.txt'])
          service.write(privateFile(service, `restoring/${file}`), readFileSync(join(snapshot, file), 'utf8'))
        server.query(`CREATE DATABASE "${service.name}"`)
        await server.write(service.name, 'theirs v=1 1')
      },
    ],
    [
      'what is half restored from another machine',
      async (server, { name }) => {
        server.query(`CREATE DATABASE "${name}" WITH DURATION INF REPLICATION 1 NAME "davit restoring"`)
        await server.write(name, 'half v=1 1', 'davit restoring')
      },
    ],
  ],
  failures: [['the first loading fails', () => failing(1)]],
  leaks: LEAKS,
  treasures: TREASURES,
  burdens: BURDENS,
  omissions: OMISSIONS,
  // By default, the server of all tests takes little at once.
  odd: isThorough ? ODD : [],
}

/** A record of the module. */
function privateFile({ directory, name }: Database, file: string): string {
  return join(directory, 'run/influx-database/influx-database', name, file)
}

function spoiled(file: string, text: string) {
  return (snapshot: string) => {
    const path = join(snapshot, file)
    writeFileSync(path, readFileSync(path, 'utf8') + text)
  }
}

/** Adds what names the database, whose name is in no file but the statements: its query. */
function named(file: string, text: string) {
  return (snapshot: string) => {
    const path = join(snapshot, file)
    const content = readFileSync(path, 'utf8')
    const name = /ON (\w+) BEGIN/.exec(content)?.[1] ?? ''
    writeFileSync(path, text.replaceAll('NAME', name) + content)
  }
}

function query(select: string) {
  return named('statements.txt', `CREATE CONTINUOUS QUERY q2 ON NAME BEGIN ${select} END\n`)
}

function service(server: Influxdb, shell: Shell, name: string): Database {
  // busybox has no curl of its own.
  const curl = scratchPath({ curl: '#!/bin/sh\nexec /usr/bin/curl "$@"\n' })
  const path = shell.name === 'busybox' ? `${shell.path}:${curl}` : shell.path
  const ddl = `# DDL\nCREATE DATABASE ${name}\nCREATE CONTINUOUS QUERY kept ON ${name} BEGIN SELECT mean(v) INTO n FROM m GROUP BY time(1h) END\n`
  return new Database({ ...shell, path }, 'influx-database', {
    name,
    seeds: { 'influx-databases/1.sql': ddl + HELLO },
    properties: {
      influxdbHttpPort: `${server.port}`,
      influxdbUsername: ADMIN.name,
      influxdbPassword: ADMIN.password,
      influxdbBinDir: '/usr/bin',
    },
  })
}

proveState(KIND, shells)
