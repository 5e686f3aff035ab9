import { withHosts } from './bench-host.ts'
import { type FullMeasurement, measure } from './measure.ts'
import { type Line, timeRow, withAims } from './table.ts'
import { inTurn, type Workplace } from './workplace.ts'
import { chainOf, servicesOn, wrapperRoom } from './wrapper-room.ts'

export interface ManyStatesTerms {
  readonly name: string
  readonly services: number
  readonly hosts: number
  /** How long each snapshot and each restoration takes at least. */
  readonly seconds: number
  readonly runs: number
  /** How many times faster than one at a time. */
  readonly limit: number
}

const CORES = 4

/** Measures moving the state of many services at the same time, compared with services that are in a chain and move one at a time. */
export async function benchManyStates(place: Workplace, terms: ManyStatesTerms): Promise<readonly Line[]> {
  const { name, services, runs, limit } = terms
  return withHosts(place, terms.hosts, async (hosts) => {
    const targets = hosts.map((host) => ({ name: host.name, cores: CORES }))
    const rotated = [...targets.slice(1), ...targets.slice(0, 1)]
    const room = wrapperRoom(place, name, { targets, hosts })
    for (const [kind, placeAll] of [
      ['all', servicesOn],
      ['chain', chainOf],
    ] as const) {
      for (const [side, order] of [
        ['here', targets],
        ['there', rotated],
      ] as const) {
        const placed = placeAll(services, order, (index) => scriptOf(index, terms.seconds))
        await room.prepare(
          `${kind}-${side}`,
          placed.map((service) => ({ ...service, isStateful: true })),
        )
      }
    }
    const times: Readonly<Record<'all' | 'chain', FullMeasurement[]>> = { all: [], chain: [] }
    const deploy = (version: string) => measure(room.deploy(version), room.options)
    // The first deployment leaves everything where it is.
    const move = async (kind: 'all' | 'chain') => {
      await deploy(`${kind}-here`)
      times[kind].push(await deploy(`${kind}-there`))
      await measure(room.undeploy(`${kind}-there`), room.options)
    }
    await inTurn(place, runs, { davit: () => move('all'), baseline: () => move('chain') })
    await deploy('all-here')
    const what = `${services} services with state on ${terms.hosts} hosts of ${CORES} cores: move`
    return [
      withAims(timeRow(what, times.all, times.chain), { faster: limit }),
      ...(await room.where(room.deploy('all-there'))),
    ]
  })
}

/** Keeps its state in a directory, of which a snapshot takes its time, as that of a database does. */
function scriptOf(index: number, seconds: number): string {
  const directory = `/var/lib/state-${index}`
  return `case $1 in
  activate) mkdir -p ${directory}; [ -e ${directory}/rows ] || echo ${index} >${directory}/rows ;;
  snapshot) sleep ${seconds}; ln -s ${directory} "$DAVIT_SNAPSHOT/state" ;;
  restore) sleep ${seconds}; rm -rf ${directory} && mv "$DAVIT_SNAPSHOT/state" ${directory} ;;
esac`
}
