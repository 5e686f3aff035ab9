import { withHosts } from './bench-host.ts'
import { type FullMeasurement, measure, measureNode } from './measure.ts'
import { type Line, timeRow, withAims } from './table.ts'
import { inTurn, type Workplace } from './workplace.ts'
import { servicesOn, wrapperRoom } from './wrapper-room.ts'

export interface ConfirmTerms {
  readonly name: string
  readonly hosts: number
  readonly services: number
  readonly runs: number
  /** Aim for what `--confirm` adds, as a multiple of the start of Node.js. */
  readonly limit: number
}

/** Measures what `--confirm` adds to a deployment that changes services on every host. */
export async function benchConfirm(place: Workplace, terms: ConfirmTerms): Promise<readonly Line[]> {
  const { name, services, runs, limit } = terms
  return withHosts(place, terms.hosts, async (hosts) => {
    const room = wrapperRoom(place, name, { targets: hosts, hosts })
    for (const version of ['old', 'new'])
      await room.prepare(
        version,
        servicesOn(services, hosts, (index) => `# ${index < services / 10 ? version : 'same'} ${index}`),
      )
    const run = async (version: string, ...options: readonly string[]) =>
      measure([...room.deploy(version), ...options], room.options)
    await run('old')
    const added: FullMeasurement[] = []
    const node: FullMeasurement[] = []
    await inTurn(place, runs, {
      // Both do the same work, from one version to the other.
      async davit() {
        const plain = await run('new')
        const confirmed = await run('old', '--confirm', '600')
        added.push({ ...confirmed, seconds: confirmed.seconds - plain.seconds, work: confirmed.work - plain.work })
      },
      baseline: async () => void node.push(await measureNode(room.options)),
    })
    const what = `${services} services on ${hosts.length} hosts: what --confirm adds`
    const command = [...room.deploy('new'), '--confirm', '600']
    return [withAims(timeRow(what, added, node), { ratio: limit }), ...(await room.where(command))]
  })
}
