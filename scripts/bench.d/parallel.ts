import { withHosts } from './bench-host.ts'
import { type FullMeasurement, measure } from './measure.ts'
import { type Line, timeRow, withAims } from './table.ts'
import { inTurn, type Workplace } from './workplace.ts'
import { servicesOn, wrapperRoom } from './wrapper-room.ts'

export interface ParallelTerms {
  readonly name: string
  readonly services: number
  /** How long each activation takes. */
  readonly seconds: number
  readonly runs: number
  /** Aim as a multiple of one service alone. */
  readonly limit: number
}

const HOSTS = 3
const CORES = 4

/** Measures the installation of services that take their time, at the same time, compared with one of them alone. */
export async function benchParallel(place: Workplace, terms: ParallelTerms): Promise<readonly Line[]> {
  const { name, services, seconds, runs, limit } = terms
  return withHosts(place, HOSTS, async (hosts) => {
    const targets = hosts.map((host) => ({ name: host.name, cores: CORES }))
    const room = wrapperRoom(place, name, { targets, hosts })
    const script = (index: number) => `[ "$1" != activate ] || sleep ${seconds} # ${index}`
    await room.prepare('all', servicesOn(services, targets, script))
    await room.prepare('one', servicesOn(1, targets, script))
    const times: Readonly<Record<'all' | 'one', FullMeasurement[]>> = { all: [], one: [] }
    const install = async (version: 'all' | 'one') => {
      times[version].push(await measure(room.deploy(version), room.options))
      await measure(room.undeploy(version), room.options)
    }
    await inTurn(place, runs, { davit: () => install('all'), baseline: () => install('one') })
    const what = `${services} services of ${seconds} s on ${HOSTS} hosts of ${CORES} cores: install`
    return [withAims(timeRow(what, times.all, times.one), { ratio: limit }), ...(await room.where(room.deploy('all')))]
  })
}
