import { readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type BenchHost, withHosts } from './bench-host.ts'
import { type FullMeasurement, measure, median } from './measure.ts'
import { type Line, memoryRow, type Row, timeRow, withAims, workRow } from './table.ts'
import { whereOf } from './where.ts'
import { inTurn, type Workplace } from './workplace.ts'
import { type WrapperRoom, wrapperRoom } from './wrapper-room.ts'

export interface StateTerms {
  readonly name: string
  readonly runs: number
  readonly files: number
  readonly bytesPerFile: number
}

const DIRECTORY = '/var/lib/ledger'

/** Keeps its state in a directory. */
const SCRIPT = `case $1 in
  activate) mkdir -p ${DIRECTORY} ;;
  snapshot) ln -s ${DIRECTORY} "$DAVIT_SNAPSHOT/state" ;;
  restore) rm -rf ${DIRECTORY} && mv "$DAVIT_SNAPSHOT/state" ${DIRECTORY} ;;
esac`

/** Measures moving a directory from one host to another, compared with a stream from one tar to another through this machine. */
export async function benchState(place: Workplace, { name, runs, ...size }: StateTerms): Promise<readonly Line[]> {
  return withHosts(place, 2, async (hosts) => {
    const bench = new StateBench(place, name, hosts)
    await bench.prepare(size)
    await inTurn(place, runs, bench)
    return [...bench.rows(size), ...(await bench.where())]
  })
}

/** Runs a command with an ssh agent that has the key for the hosts. */
function withAgent({ configuration }: BenchHost, command: readonly string[]): readonly string[] {
  return [
    'ssh-agent',
    'sh',
    '-c',
    'ssh-add -q "$1" && shift && exec "$@"',
    'sh',
    join(dirname(configuration), 'id_ed25519'),
    ...command,
  ]
}

class StateBench {
  readonly #hosts: readonly BenchHost[]
  readonly #room: WrapperRoom
  readonly #times = {
    first: new Array<FullMeasurement>(),
    unchanged: new Array<FullMeasurement>(),
    changed: new Array<FullMeasurement>(),
    direct: new Array<FullMeasurement>(),
    bare: new Array<FullMeasurement>(),
  }
  /** Bytes that the coordinator kept in addition for each move after a change. */
  readonly #added: number[] = []
  /** Index of the host where the directory is. */
  #at = 0

  constructor(place: Workplace, name: string, hosts: readonly BenchHost[]) {
    this.#hosts = hosts
    const targets = hosts.map((host) => ({ name: host.name }))
    this.#room = wrapperRoom(place, name, { targets, hosts })
  }

  async prepare({ files, bytesPerFile }: Pick<StateTerms, 'files' | 'bytesPerFile'>): Promise<void> {
    for (const { name: target } of this.#hosts)
      await this.#room.prepare(target, [{ name: 'ledger', target, script: SCRIPT, isStateful: true }])
    await measure(this.#room.deploy(this.#host.name), this.#room.options)
    await this.#host.sh(
      `cd ${DIRECTORY}; head -c ${files * bytesPerFile} /dev/urandom | split -a 4 -b ${bytesPerFile} -d - file.`,
    )
  }

  async davit(): Promise<void> {
    await this.#forget()
    this.#times.first.push(await this.#move())
    this.#times.unchanged.push(await this.#move())
    await this.#host.sh(`cd ${DIRECTORY}; for file in file.*00; do echo changed >>"$file"; done`)
    const before = this.#keptBytes()
    this.#times.changed.push(await this.#move())
    this.#added.push(this.#keptBytes() - before)
    await this.#forget()
    this.#times.direct.push(await this.#move(withAgent(this.#host, [...this.#toOther(), '--direct'])))
  }

  async baseline(): Promise<void> {
    const [from, to] = [this.#host, this.#other]
    const ssh = (host: BenchHost) => `ssh -F '${host.configuration}' ${host.name}`
    const copy = `${ssh(from)} tar -C ${DIRECTORY} -cf - . | ${ssh(to)} 'mkdir /tmp/copy && tar -C /tmp/copy -xf -'`
    this.#times.bare.push(await measure(['sh', '-c', copy], this.#room.options))
    await to.sh('rm -r /tmp/copy')
  }

  rows({ files, bytesPerFile }: Pick<StateTerms, 'files' | 'bytesPerFile'>): readonly Row[] {
    const { first, unchanged, changed, direct, bare } = this.#times
    const megabytes = Math.round((files * bytesPerFile) / 1e6)
    const share = median(this.#added) / (files * bytesPerFile)
    return [
      withAims(timeRow(`state: ${megabytes} MB in ${files} files`, first, bare), { ratio: 1 / 0.7 }),
      workRow(first, bare),
      memoryRow('  memory here', { davit: first.map(({ memory }) => memory.tree) }, 200e6),
      timeRow('  from host to host, with --direct', direct, bare),
      timeRow('  unchanged since the last snapshot', unchanged, bare),
      timeRow('  1 % of the files changed', changed, bare),
      {
        what: '  bytes that travelled for 1 %, as a share of all',
        davit: `${(share * 100).toFixed(1)} %`,
        aims: [{ text: '≤ 5 %', met: share <= 0.05 }],
      },
    ]
  }

  async where(): Promise<readonly Line[]> {
    await this.#forget()
    const command = this.#room.deploy(this.#other.name)
    return (await whereOf(command, { ...this.#room.options, hosts: this.#hosts })).notes
  }

  get #host(): BenchHost {
    return this.#hosts[this.#at] as BenchHost
  }

  get #other(): BenchHost {
    return this.#hosts[1 - this.#at] as BenchHost
  }

  #toOther(): readonly string[] {
    return this.#room.deploy(this.#other.name)
  }

  async #move(command = this.#toOther()): Promise<FullMeasurement> {
    const measured = await measure(command, this.#room.options)
    this.#at = 1 - this.#at
    return measured
  }

  get #kept(): string {
    return join(this.#room.options.environment['DAVIT_STATE_DIR'] ?? '', 'coordinator/default/snapshots')
  }

  #keptBytes(): number {
    const inodes = new Map<number, number>()
    for (const entry of readdirSync(this.#kept, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const { ino, size } = statSync(join(entry.parentPath, entry.name))
      inodes.set(ino, size)
    }
    return [...inodes.values()].reduce((sum, size) => sum + size, 0)
  }

  /** Removes all snapshots. */
  async #forget(): Promise<void> {
    rmSync(this.#kept, { recursive: true, force: true })
    await Promise.all(this.#hosts.map((host) => host.sh('rm -rf /var/lib/davit/targets/*/dysnomia')))
  }
}
