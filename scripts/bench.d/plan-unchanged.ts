import { join } from 'node:path'
import { recorded, withHosts } from './bench-host.ts'
import { type FullMeasurement, measure } from './measure.ts'
import { sshToAll } from './ssh-to-all.ts'
import { type Line, timeRow, withAims } from './table.ts'
import { inTurn, type Workplace } from './workplace.ts'
import { servicesOn, wrapperRoom } from './wrapper-room.ts'

export interface UnchangedTerms {
  readonly name: string
  readonly hosts: number
  readonly services: number
  readonly runs: number
  /** Aim as a multiple of `ssh HOST true` for all hosts. */
  readonly limit: number
  /** Aim for the requests to each host. */
  readonly requests: number
}

/** Measures the plan of a deployment in which nothing changed, beside ssh to the same hosts. */
export async function benchUnchanged(place: Workplace, terms: UnchangedTerms): Promise<readonly Line[]> {
  const { name, services, runs, limit, requests } = terms
  return withHosts(place, terms.hosts, async (hosts) => {
    const room = wrapperRoom(place, name, { targets: hosts, hosts })
    await room.prepare(
      'all',
      servicesOn(services, hosts, (index) => `# ${index}`),
    )
    await measure(room.deploy('all'), room.options)
    const manifest = join(room.options.directory, 'manifest.json')
    await measure(['davit-generations', '--current'], { ...room.options, output: manifest })
    const command = ['davit-plan', manifest]
    const davit: FullMeasurement[] = []
    const ssh: FullMeasurement[] = []
    await inTurn(place, runs, {
      davit: async () => void davit.push(await measure(command, room.options)),
      baseline: async () => void ssh.push(await sshToAll(hosts, room.options)),
    })
    const [host] = hosts
    const asked = host === undefined ? [] : (await recorded(host, () => measure(command, room.options))).operations
    place.say(`requests: ${asked.join(', ')}`)
    const what = `unchanged plan of ${services} services on ${hosts.length} hosts`
    return [
      withAims(timeRow(what, davit, ssh), { ratio: limit }),
      {
        what: '  requests to a host',
        davit: String(asked.length),
        aims: [{ text: `≤ ${requests}`, met: asked.length <= requests }],
      },
      ...(await room.where(command)),
    ]
  })
}
