import { spawnSync } from 'node:child_process'
import { MARIADB_SOCKET, startMariadb } from '@davit/testing/database-servers'
import type { BenchHost } from './bench-host.ts'
import type { FullMeasurement } from './measure.ts'
import { benchMoving, type MovingBench, type MovingState, overSsh } from './moving-state.ts'
import { type Line, timeRow, withAims } from './table.ts'
import type { Workplace } from './workplace.ts'

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
  const containers = { 'mysql-database': { mysqlSocket: MARIADB_SOCKET, mysqlUsername: 'root' } }
  return benchMoving(place, { ...terms, containers }, (moving) => new DatabaseBench(moving, terms))
}

class DatabaseBench implements MovingBench {
  readonly #moving: MovingState
  readonly #terms: DatabaseTerms
  readonly #times = {
    gap: new Array<FullMeasurement>(),
    run: new Array<FullMeasurement>(),
    bare: new Array<FullMeasurement>(),
  }

  constructor(moving: MovingState, terms: DatabaseTerms) {
    this.#moving = moving
    this.#terms = terms
  }

  async prepare(): Promise<void> {
    await Promise.all(this.#moving.hosts.map((host) => host.sh(SERVER)))
    const attributes = { type: 'mysql-database', pkg: { build: { script: SEED } } }
    await this.#moving.deployOnFirst((target) => [
      { name: 'shop', target, script: '', isStateful: true, attributes },
      { name: 'page', target: this.#page.name, script: PAGE, dependsOn: ['shop'] },
    ])
    await this.#moving.host.sh(FILL, String(this.#terms.megabytes * 830))
  }

  async davit(): Promise<void> {
    await this.#page.sh('rm -f /var/tmp/page.*')
    await this.#forget()
    const run = await this.#moving.move()
    const [ended, served] = (await this.#page.sh('cat /var/tmp/page.deactivate /var/tmp/page.activate'))
      .trimEnd()
      .split('\n')
      .map(Number)
    this.#times.run.push(run)
    this.#times.gap.push({ ...run, seconds: (served ?? NaN) - (ended ?? NaN) })
  }

  async baseline(): Promise<void> {
    const { host, other } = this.#moving
    const steps = [
      overSsh(host, 'mariadb-dump -uroot --single-transaction shop >/var/tmp/shop.sql'),
      `scp -q -3 -F '${host.configuration}' ${host.name}:/var/tmp/shop.sql ${other.name}:/var/tmp/shop.sql`,
      overSsh(other, 'mariadb -uroot -e "CREATE DATABASE copy" && mariadb -uroot copy </var/tmp/shop.sql'),
    ]
    this.#times.bare.push(await this.#moving.byHand(steps.join('\n')))
    await other.sh('mariadb -uroot -e "DROP DATABASE copy"')
    await Promise.all(this.#moving.hosts.map((one) => one.sh('rm -f /var/tmp/shop.sql')))
  }

  async lines(): Promise<readonly Line[]> {
    const { gap, run, bare } = this.#times
    const { megabytes, limit } = this.#terms
    await this.#forget()
    return [
      withAims(timeRow(`MariaDB of ${megabytes} MB moves: nobody is served`, gap, bare), { ratio: limit }),
      timeRow('  the whole run', run, bare),
      ...(await this.#moving.where()),
    ]
  }

  /** What depends on the database stays where it is. */
  get #page(): BenchHost {
    return this.#moving.hosts[0] as BenchHost
  }

  /** Removes all snapshots, and the database that waits to be deleted. */
  async #forget(): Promise<void> {
    await Promise.all(this.#moving.hosts.map((host) => host.sh(FORGET)))
    await this.#moving.other.sh('mariadb -uroot -e "DROP DATABASE IF EXISTS shop"')
  }
}
