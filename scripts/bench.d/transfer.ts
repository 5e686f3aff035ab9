import { join } from 'node:path'
import { type BenchHost, recorded, withHosts } from './bench-host.ts'
import { type FullMeasurement, measure } from './measure.ts'
import { memoryRow, type Row, timeRow, withAims, workRow } from './table.ts'
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
  readonly aims: { readonly speed?: number; readonly requests?: number }
}

export interface TransferTerms {
  readonly runs: number
  readonly size: { readonly files: number; readonly megabytes: number }
  parcelFor(place: Workplace, host: BenchHost, size: TransferTerms['size']): Promise<Parcel>
}

/** Measures sending a closure to a host over ssh, and sending it once more. */
export async function benchTransfer(place: Workplace, terms: TransferTerms): Promise<readonly Row[]> {
  return withHosts(place, 1, async ([host]) => {
    if (host === undefined) throw new Error('no host was brought up')
    const parcel = await terms.parcelFor(place, host, terms.size)
    const bench = new TransferBench(place, host, parcel)
    await inTurn(place, terms.runs, bench)
    const requests = await bench.requests()
    return [...rowsOf(parcel, bench), ...requests]
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

  get #command(): readonly string[] {
    return [join(this.#place.bin, 'davit-distribute'), this.#parcel.manifestFile]
  }

  async #twice(command: readonly string[], { first, again }: Pass): Promise<void> {
    await this.#host.sh(this.#parcel.forget)
    first.push(await this.#run(command))
    again.push(await this.#run(command))
  }

  #run(command: readonly string[]): Promise<FullMeasurement> {
    const { environment, directory, within } = this.#parcel
    return measure(within(command), {
      environment: { ...environment, DAVIT_SSH_CONFIG: this.#host.configuration },
      directory,
      elsewhere: this.#host.process,
    })
  }
}

function rowsOf({ what, aims }: Parcel, { sent, bare }: TransferBench): readonly Row[] {
  const limits = aims.speed === undefined ? {} : { ratio: 1 / aims.speed }
  const here = (pass: Pass) => pass.first.map(({ memory }) => memory.tree)
  const there = (pass: Pass) => pass.first.map(({ elsewhere }) => elsewhere.biggest)
  return [
    withAims(timeRow(what, sent.first, bare.first), limits),
    withAims(timeRow('  again, all is there', sent.again, bare.again), limits),
    workRow(sent.first, bare.first),
    memoryRow('  memory here, process tree', { davit: here(sent), baseline: here(bare) }),
    memoryRow('  memory on the host, biggest process', { davit: there(sent), baseline: there(bare) }),
  ]
}
