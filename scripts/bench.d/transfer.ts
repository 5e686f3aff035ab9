import { join } from 'node:path'
import { type BenchHost, recorded, withHosts } from './bench-host.ts'
import { type FullMeasurement, measure, type StartOptions } from './measure.ts'
import { type Line, memoryRow, type Row, timeRow, withAims, workRow } from './table.ts'
import { whereOf } from './where.ts'
import { inTurn, type Workplace } from './workplace.ts'

/** A profile that a benchmark sends to a host. */
export interface Parcel {
  readonly what: string
  readonly manifestFile: string
  readonly directory: string
  readonly environment: NodeJS.ProcessEnv
  /** Wraps a command so that it sees the store. */
  readonly within: (command: readonly string[]) => readonly string[]
  /** Command that sends the same without davit, and without asking which packages the host has. */
  readonly baseline: readonly string[]
  /** Shell script that removes the profile from the host. */
  readonly forget: string
  readonly aims: {
    readonly speed?: number
    /** Time of sending it again, as a share of the baseline. */
    readonly again?: number
    readonly requests?: number
  }
}

export interface TransferTerms {
  readonly runs: number
  readonly size: { readonly files: number; readonly megabytes: number }
  parcelFor(place: Workplace, host: BenchHost, size: TransferTerms['size']): Promise<Parcel>
}

/** Measures sending a closure to a host over ssh, and sending it once more. */
export async function benchTransfer(place: Workplace, terms: TransferTerms): Promise<readonly Line[]> {
  return withHosts(place, 1, async ([host]) => {
    if (host === undefined) throw new Error('no host was brought up')
    const parcel = await terms.parcelFor(place, host, terms.size)
    const bench = new TransferBench(place, host, parcel)
    await inTurn(place, terms.runs, bench)
    const requests = await bench.requests()
    return [...rowsOf(parcel, bench), ...requests, ...(await bench.where())]
  })
}

interface Pass {
  readonly first: FullMeasurement[]
  readonly again: FullMeasurement[]
}

class TransferBench {
  readonly sent: Pass = { first: [], again: [] }
  readonly bare: Pass = { first: [], again: [] }
  readonly #place: Workplace
  readonly #host: BenchHost
  readonly #parcel: Parcel

  constructor(place: Workplace, host: BenchHost, parcel: Parcel) {
    this.#place = place
    this.#host = host
    this.#parcel = parcel
  }

  davit(): Promise<void> {
    return this.#twice(this.#command, this.sent)
  }

  baseline(): Promise<void> {
    return this.#twice(this.#parcel.baseline, this.bare)
  }

  /** Counts requests. This is a separate run, since the host records what it receives. */
  async requests(): Promise<readonly Row[]> {
    await this.#host.sh(this.#parcel.forget)
    const limit = this.#parcel.aims.requests
    const rows: Row[] = []
    for (const pass of ['first', 'again']) {
      const { operations, sessions } = await recorded(this.#host, () => this.#run(this.#command))
      this.#place.say(`requests: ${operations.join(', ')}; sessions: ${sessions}`)
      rows.push({
        what: `  requests to the helper, ${pass === 'first' ? 'first' : 'all is there'}`,
        davit: String(operations.length),
        ...(limit === undefined ? {} : { aims: [{ text: `≤ ${limit}`, met: operations.length <= limit }] }),
      })
    }
    return rows
  }

  async where(): Promise<readonly Line[]> {
    await this.#host.sh(this.#parcel.forget)
    const { within } = this.#parcel
    return (await whereOf(within(this.#command), { ...this.#options, hosts: [this.#host] })).notes
  }

  get #options(): StartOptions {
    const { environment, directory } = this.#parcel
    return { directory, environment: { ...environment, DAVIT_SSH_CONFIG: this.#host.configuration } }
  }

  get #command(): readonly string[] {
    return [join(this.#place.bin, 'davit-distribute'), this.#parcel.manifestFile]
  }

  async #twice(command: readonly string[], { first, again }: Pass): Promise<void> {
    await this.#host.sh(this.#parcel.forget)
    first.push(await this.#run(command))
    again.push(await this.#run(command))
  }

  #run(command: readonly string[]): Promise<FullMeasurement> {
    return measure(this.#parcel.within(command), { ...this.#options, elsewhere: this.#host.process })
  }
}

function rowsOf({ what, aims }: Parcel, { sent, bare }: TransferBench): readonly Row[] {
  const limits = aims.speed === undefined ? {} : { ratio: 1 / aims.speed }
  const again = aims.again === undefined ? limits : { ratio: aims.again }
  const here = (pass: Pass) => pass.first.map(({ memory }) => memory.tree)
  const there = (pass: Pass) => pass.first.map(({ elsewhere }) => elsewhere.biggest)
  return [
    withAims(timeRow(what, sent.first, bare.first), limits),
    withAims(timeRow('  again, all is there', sent.again, bare.again), again),
    workRow(sent.first, bare.first),
    memoryRow('  memory here, process tree', { davit: here(sent), baseline: here(bare) }),
    memoryRow('  memory on the host, biggest process', { davit: there(sent), baseline: there(bare) }),
  ]
}
