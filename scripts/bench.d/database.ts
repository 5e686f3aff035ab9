import { spawnSync } from 'node:child_process'
import { MARIADB_SOCKET, startMariadb } from '@davit/testing/database-servers'
import { type BenchHost, withHosts } from './bench-host.ts'
import { type FullMeasurement, measure } from './measure.ts'
import { type Line, timeRow, withAims } from './table.ts'
import { whereOf } from './where.ts'
import { inTurn, type Workplace } from './workplace.ts'
import { type WrapperRoom, wrapperRoom } from './wrapper-room.ts'

export interface DatabaseTerms {
  readonly name: string
  readonly megabytes: number
  readonly runs: number
  /** Aim as a multiple of dump, copy and load by hand. */
  readonly limit: number
}

const SERVER = startMariadb('--skip-networking', '--max-allowed-packet=64M')

const SEED = `mkdir -p "$out/mysql-databases"
echo 'CREATE TABLE articles (id INT PRIMARY KEY, value LONGTEXT NOT NULL);' >"$out/mysql-databases/1.sql"`

/** Rows of 1000 bytes, which compress to a little more than half. */
const FILL = `mariadb -uroot shop -e "INSERT INTO articles SELECT seq, CONCAT(MD5(RAND()), MD5(RAND()), MD5(RAND()), REPEAT(MD5(seq), 28), SHA2(RAND(), 512)) FROM seq_1_to_$1"`

/** Writes when what depends on the database ended, and when it was there again. */
const PAGE = `case $1 in activate | deactivate) date +%s.%N >>/var/tmp/page.$1 ;; esac`

const FORGET = `for part in snapshots generations facts; do
  rm -rf /var/lib/davit/targets/*/dysnomia/$part
done`

/** Measures for how long nobody is served while a database moves, compared with dump, copy and load by hand. */
export async function benchDatabase(place: Workplace, terms: DatabaseTerms): Promise<readonly Line[]> {
  if (
    spawnSync('mariadbd', ['--version']).error !== undefined &&
    spawnSync('mariadb', ['--version']).error !== undefined
  )
    return [{ note: `${terms.name}: skipped: there is no MariaDB (Debian: mariadb-server)` }]
  return withHosts(place, 2, async (hosts) => {
    const bench = new DatabaseBench(place, terms, hosts)
    await bench.prepare()
    await inTurn(place, terms.runs, bench)
    return bench.lines()
  })
}

class DatabaseBench {
  readonly #hosts: readonly BenchHost[]
  readonly #terms: DatabaseTerms
  readonly #room: WrapperRoom
  readonly #times = {
    gap: new Array<FullMeasurement>(),
    run: new Array<FullMeasurement>(),
    bare: new Array<FullMeasurement>(),
  }
  /** Index of the host where the database is. */
  #at = 0

  constructor(place: Workplace, terms: DatabaseTerms, hosts: readonly BenchHost[]) {
    this.#hosts = hosts
    this.#terms = terms
    const containers = { 'mysql-database': { mysqlSocket: MARIADB_SOCKET, mysqlUsername: 'root' } }
    const targets = hosts.map((host) => ({ name: host.name, containers }))
    this.#room = wrapperRoom(place, terms.name, { targets, hosts })
  }

  async prepare(): Promise<void> {
    await Promise.all(this.#hosts.map((host) => host.sh(SERVER)))
    const attributes = { type: 'mysql-database', pkg: { build: { script: SEED } } }
    for (const { name: target } of this.#hosts) {
      await this.#room.prepare(target, [
        { name: 'shop', target, script: '', isStateful: true, attributes },
        { name: 'page', target: this.#page.name, script: PAGE, dependsOn: ['shop'] },
      ])
    }
    await measure(this.#room.deploy(this.#host.name), this.#room.options)
    await this.#host.sh(FILL, String(this.#terms.megabytes * 830))
  }

  async davit(): Promise<void> {
    await this.#page.sh('rm -f /var/tmp/page.*')
    const run = await this.#move()
    const [ended, served] = (await this.#page.sh('cat /var/tmp/page.deactivate /var/tmp/page.activate'))
      .trimEnd()
      .split('\n')
      .map(Number)
    this.#times.run.push(run)
    this.#times.gap.push({ ...run, seconds: (served ?? NaN) - (ended ?? NaN) })
  }

  async baseline(): Promise<void> {
    const ssh = (host: BenchHost) => `ssh -F '${host.configuration}' ${host.name}`
    const [from, to] = [this.#host, this.#other]
    const steps = [
      `${ssh(from)} 'mariadb-dump -uroot --single-transaction shop >/var/tmp/shop.sql'`,
      `scp -q -3 -F '${from.configuration}' ${from.name}:/var/tmp/shop.sql ${to.name}:/var/tmp/shop.sql`,
      `${ssh(to)} 'mariadb -uroot -e "CREATE DATABASE copy" && mariadb -uroot copy </var/tmp/shop.sql'`,
    ]
    this.#times.bare.push(await measure(['sh', '-ec', steps.join('\n')], this.#room.options))
    await to.sh('mariadb -uroot -e "DROP DATABASE copy"')
    await Promise.all(this.#hosts.map((host) => host.sh('rm -f /var/tmp/shop.sql')))
  }

  async lines(): Promise<readonly Line[]> {
    const { gap, run, bare } = this.#times
    const { megabytes, limit } = this.#terms
    await this.#forget()
    const { notes } = await whereOf(this.#room.deploy(this.#other.name), { ...this.#room.options, hosts: this.#hosts })
    return [
      withAims(timeRow(`MariaDB of ${megabytes} MB moves: nobody is served`, gap, bare), { ratio: limit }),
      timeRow('  the whole run', run, bare),
      ...notes,
    ]
  }

  get #host(): BenchHost {
    return this.#hosts[this.#at] as BenchHost
  }

  get #other(): BenchHost {
    return this.#hosts[1 - this.#at] as BenchHost
  }

  /** What depends on the database stays where it is. */
  get #page(): BenchHost {
    return this.#hosts[0] as BenchHost
  }

  async #move(): Promise<FullMeasurement> {
    await this.#forget()
    const measured = await measure(this.#room.deploy(this.#other.name), this.#room.options)
    this.#at = 1 - this.#at
    return measured
  }

  /** Removes all snapshots, and the database that waits to be deleted. */
  async #forget(): Promise<void> {
    await Promise.all(this.#hosts.map((host) => host.sh(FORGET)))
    await this.#other.sh('mariadb -uroot -e "DROP DATABASE IF EXISTS shop"')
  }
}
