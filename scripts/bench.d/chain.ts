import { withHosts } from './bench-host.ts'
import { type FullMeasurement, measure, measureNode } from './measure.ts'
import { type Line, timeRow, withAims } from './table.ts'
import { inTurn, type Workplace } from './workplace.ts'
import { chainOf, wrapperRoom } from './wrapper-room.ts'

export interface ChainTerms {
  readonly name: string
  readonly links: number
  readonly runs: number
  /** Aims as multiples of the start of Node.js; without `fails`, nothing fails. */
  readonly limits: { readonly install: number; readonly fails?: number }
  /** Whether the aim for the installation is one for each link. */
  readonly perLink: boolean
}

const HOSTS = 3
const ROLLED_BACK = 1

/**
 * Measures services that depend on one another in a chain: their installation, and an upgrade of all of them whose last activation
 * fails, so that everything is undone.
 */
export async function benchChain(place: Workplace, terms: ChainTerms): Promise<readonly Line[]> {
  const { name, links, runs, limits } = terms
  return withHosts(place, HOSTS, async (hosts) => {
    const room = wrapperRoom(place, name, { targets: hosts, hosts })
    await room.prepare(
      'old',
      chainOf(links, hosts, (index) => `# old ${index}`),
    )
    const last = links - 1
    await room.prepare(
      'bad',
      chainOf(links, hosts, (index) => (index === last ? '[ "$1" != activate ]' : `# bad ${index}`)),
    )
    const [installed, failed, node]: [FullMeasurement[], FullMeasurement[], FullMeasurement[]] = [[], [], []]
    const fails = { ...room.options, status: ROLLED_BACK }
    await inTurn(place, runs, {
      async davit() {
        installed.push(await measure(room.deploy('old'), room.options))
        if (limits.fails !== undefined) failed.push(await measure(room.deploy('bad'), fails))
        await measure(room.undeploy('old'), room.options)
      },
      baseline: async () => void node.push(await measureNode(room.options)),
    })
    const share = terms.perLink ? links : 1
    const what = `chain of ${links} services on ${HOSTS} hosts: install${terms.perLink ? ', each link' : ''}`
    const lines: Line[] = [withAims(timeRow(what, installed.map(partOf(share)), node), { ratio: limits.install })]
    lines.push(...(await room.where(room.deploy('old'))))
    if (limits.fails !== undefined) {
      lines.push(withAims(timeRow('  all changed and the last fails', failed, node), { ratio: limits.fails }))
      lines.push(...(await room.where(room.deploy('bad'), ROLLED_BACK)))
    }
    return lines
  })
}

function partOf(count: number): (whole: FullMeasurement) => FullMeasurement {
  return (whole) => ({ ...whole, seconds: whole.seconds / count })
}
