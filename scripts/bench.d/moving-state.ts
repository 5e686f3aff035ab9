import { type BenchHost, withHosts } from './bench-host.ts'
import { type FullMeasurement, measure } from './measure.ts'
import type { Line, Note } from './table.ts'
import { inTurn, type Workplace } from './workplace.ts'
import { type WrapperRoom, wrapperRoom, type WrapperService } from './wrapper-room.ts'

export interface MovingTerms {
  readonly name: string
  readonly runs: number
  /** Containers of both targets besides that of wrappers. */
  readonly containers?: object
}

/** A measurement of state that moves. */
export interface MovingBench {
  prepare(): Promise<void>
  davit(): Promise<void>
  baseline(): Promise<void>
  lines(): Promise<readonly Line[]>
}

/** Brings up two hosts, and measures what moves between them. */
export async function benchMoving(
  place: Workplace,
  { name, runs, containers = {} }: MovingTerms,
  benchFor: (moving: MovingState) => MovingBench,
): Promise<readonly Line[]> {
  return withHosts(place, 2, async (hosts) => {
    const targets = hosts.map((host) => ({ name: host.name, containers }))
    const bench = benchFor(new MovingState(wrapperRoom(place, name, { targets, hosts }), hosts))
    await bench.prepare()
    await inTurn(place, runs, bench)
    return bench.lines()
  })
}

/** A system with state on one of two hosts, which moves to the other one. */
export class MovingState {
  readonly room: WrapperRoom
  readonly hosts: readonly BenchHost[]
  /** Index of the host where the state is. */
  #at = 0

  constructor(room: WrapperRoom, hosts: readonly BenchHost[]) {
    this.room = room
    this.hosts = hosts
  }

  /** Prepares a version of the system for each host, and deploys that for the first one. */
  async deployOnFirst(servicesOn: (target: string) => readonly WrapperService[]): Promise<void> {
    for (const { name } of this.hosts) await this.room.prepare(name, servicesOn(name))
    await measure(this.room.deploy(this.host.name), this.room.options)
  }

  get host(): BenchHost {
    return this.hosts[this.#at] as BenchHost
  }

  get other(): BenchHost {
    return this.hosts[1 - this.#at] as BenchHost
  }

  /** The command that moves the state to the other host. */
  get command(): readonly string[] {
    return this.room.deploy(this.other.name)
  }

  async move(command = this.command): Promise<FullMeasurement> {
    const measured = await measure(command, this.room.options)
    this.#at = 1 - this.#at
    return measured
  }

  /** Measures a shell script that copies the state without davit. */
  async byHand(script: string): Promise<FullMeasurement> {
    return measure(['sh', '-ec', script], this.room.options)
  }

  /** Moves the state once more, and tells where the time goes. */
  async where(): Promise<readonly Note[]> {
    return this.room.where(this.command)
  }
}

/** Returns a command line that runs a command on a host. */
export function overSsh({ configuration, name }: BenchHost, command: string): string {
  return `ssh -F '${configuration}' ${name} '${command}'`
}
