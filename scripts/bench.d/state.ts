import { readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BenchHost } from './bench-host.ts'
import { type FullMeasurement, median } from './measure.ts'
import { benchMoving, type MovingBench, type MovingState, overSsh } from './moving-state.ts'
import { type Line, memoryRow, type Row, timeRow, withAims, workRow } from './table.ts'
import type { Workplace } from './workplace.ts'

interface StateSize {
  readonly files: number
  readonly bytesPerFile: number
}

export interface StateTerms extends StateSize {
  readonly name: string
  readonly runs: number
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
  return benchMoving(place, { name, runs }, (moving) => new StateBench(moving, size))
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

class StateBench implements MovingBench {
  readonly #moving: MovingState
  readonly #size: StateSize
  readonly #times = {
    first: new Array<FullMeasurement>(),
    unchanged: new Array<FullMeasurement>(),
    changed: new Array<FullMeasurement>(),
    direct: new Array<FullMeasurement>(),
    bare: new Array<FullMeasurement>(),
  }
  /** Bytes that the coordinator kept in addition for each move after a change. */
  readonly #added: number[] = []

  constructor(moving: MovingState, size: StateSize) {
    this.#moving = moving
    this.#size = size
  }

  async prepare(): Promise<void> {
    const { files, bytesPerFile } = this.#size
    await this.#moving.deployOnFirst((target) => [{ name: 'ledger', target, script: SCRIPT, isStateful: true }])
    await this.#moving.host.sh(
      `cd ${DIRECTORY}; head -c ${files * bytesPerFile} /dev/urandom | split -a 4 -b ${bytesPerFile} -d - file.`,
    )
  }

  async davit(): Promise<void> {
    await this.#forget()
    this.#times.first.push(await this.#moving.move())
    this.#times.unchanged.push(await this.#moving.move())
    await this.#moving.host.sh(`cd ${DIRECTORY}; for file in file.*00; do echo changed >>"$file"; done`)
    const before = this.#keptBytes()
    this.#times.changed.push(await this.#moving.move())
    this.#added.push(this.#keptBytes() - before)
    await this.#forget()
    this.#times.direct.push(
      await this.#moving.move(withAgent(this.#moving.host, [...this.#moving.command, '--direct'])),
    )
  }

  async baseline(): Promise<void> {
    const { host, other } = this.#moving
    const receive = overSsh(other, 'mkdir /tmp/copy && tar -C /tmp/copy -xf -')
    this.#times.bare.push(await this.#moving.byHand(`${overSsh(host, `tar -C ${DIRECTORY} -cf - .`)} | ${receive}`))
    await other.sh('rm -r /tmp/copy')
  }

  async lines(): Promise<readonly Line[]> {
    await this.#forget()
    return [...this.#rows(), ...(await this.#moving.where())]
  }

  #rows(): readonly Row[] {
    const { files, bytesPerFile } = this.#size
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

  get #kept(): string {
    return join(this.#moving.room.options.environment['DAVIT_STATE_DIR'] ?? '', 'coordinator/default/snapshots')
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
    await Promise.all(this.#moving.hosts.map((host) => host.sh('rm -rf /var/lib/davit/targets/*/dysnomia')))
  }
}
