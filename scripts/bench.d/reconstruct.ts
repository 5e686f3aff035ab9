import { withHosts } from './bench-host.ts'
import { type FullMeasurement, measure } from './measure.ts'
import { sshToAll } from './ssh-to-all.ts'
import { type Line, timeRow, withAims } from './table.ts'
import { inTurn, type Workplace } from './workplace.ts'
import { servicesOn, wrapperRoom } from './wrapper-room.ts'

export interface ReconstructTerms {
  readonly name: string
  readonly hosts: number
  readonly services: number
  readonly runs: number
  /** Aim as a multiple of `ssh HOST true` for all hosts. */
  readonly limit: number
}

/** Measures how long it takes to read a deployment back from many hosts, beside ssh to the same hosts. */
export async function benchReconstruct(place: Workplace, terms: ReconstructTerms): Promise<readonly Line[]> {
  const { name, services, runs, limit } = terms
  return withHosts(place, terms.hosts, async (hosts) => {
    const room = wrapperRoom(place, name, { targets: hosts, hosts })
    await room.prepare(
      'all',
      servicesOn(services, hosts, (index) => `# ${index}`),
    )
    await measure(room.deploy('all'), room.options)
    const command = ['davit-reconstruct', 'all/infrastructure.json']
    const davit: FullMeasurement[] = []
    const ssh: FullMeasurement[] = []
    await inTurn(place, runs, {
      davit: async () => void davit.push(await measure(command, room.options)),
      baseline: async () => void ssh.push(await sshToAll(hosts, room.options)),
    })
    const what = `${services} services read back from ${hosts.length} hosts`
    return [withAims(timeRow(what, davit, ssh), { ratio: limit }), ...(await room.where(command))]
  })
}
