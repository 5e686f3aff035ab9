import { withHosts } from './bench-host.ts'
import { type FullMeasurement, measure, measureNode } from './measure.ts'
import { type Line, timeRow, withAims } from './table.ts'
import { inTurn, type Workplace } from './workplace.ts'
import { servicesOn, type WrapperRoom, wrapperRoom } from './wrapper-room.ts'

/** The runs of `davit-env` that are measured, in order. */
const PHASES = ['install', 'unchanged', 'upgrade', 'undeploy'] as const
type Phase = (typeof PHASES)[number]

export interface DeployTerms {
  readonly name: string
  readonly services: number
  readonly runs: number
  /** Aims as multiples of the start of Node.js. */
  readonly limits: Readonly<Record<Phase, number>>
}

const HOSTS = 3
/** One service in so many is upgraded. */
const UPGRADED = 10

/** Measures deployments of services of type `wrapper`, which do nothing, over ssh. Their packages are built in advance. */
export async function benchDeploy(place: Workplace, terms: DeployTerms): Promise<readonly Line[]> {
  const { services, limits } = terms
  return withHosts(place, HOSTS, async (hosts) => {
    const room = wrapperRoom(place, terms.name, { targets: hosts, hosts })
    for (const [version, upgraded] of [
      ['old', 0],
      ['new', services / UPGRADED],
    ] as const) {
      const script = (index: number) => `# ${index < upgraded ? 'new' : 'old'} ${index}`
      await room.prepare(version, servicesOn(services, hosts, script))
    }
    const bench = new DeployBench(room)
    await inTurn(place, terms.runs, bench)
    const lines: Line[] = []
    for (const phase of PHASES) {
      const what = `${services} services on ${HOSTS} hosts: ${phase}`
      lines.push(withAims(timeRow(what, bench.times[phase], bench.node), { ratio: limits[phase] }))
      lines.push(...(await bench.where(phase)))
    }
    return lines
  })
}

class DeployBench {
  readonly times: Readonly<Record<Phase, FullMeasurement[]>> = { install: [], unchanged: [], upgrade: [], undeploy: [] }
  readonly node: FullMeasurement[] = []
  readonly #room: WrapperRoom
  readonly #commands: Readonly<Record<Phase, readonly string[]>>

  constructor(room: WrapperRoom) {
    this.#room = room
    this.#commands = {
      install: room.deploy('old'),
      unchanged: room.deploy('old'),
      upgrade: room.deploy('new'),
      undeploy: room.undeploy('old'),
    }
  }

  async davit(): Promise<void> {
    for (const phase of PHASES) this.times[phase].push(await measure(this.#commands[phase], this.#room.options))
  }

  async baseline(): Promise<void> {
    this.node.push(await measureNode(this.#room.options))
  }

  async where(phase: Phase): Promise<readonly Line[]> {
    return this.#room.where(this.#commands[phase])
  }
}
