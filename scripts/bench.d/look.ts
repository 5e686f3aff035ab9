import { withHosts } from './bench-host.ts'
import { type FullMeasurement, measure } from './measure.ts'
import { sshToAll } from './ssh-to-all.ts'
import { type Line, type Row, timeRow, withAims } from './table.ts'
import { whereOf } from './where.ts'
import { inTurn, type Workplace } from './workplace.ts'
import { servicesOn, wrapperRoom } from './wrapper-room.ts'

export interface LookTerms {
  readonly name: string
  readonly hosts: number
  readonly runs: number
  /** Aim as a multiple of `ssh HOST true` for all hosts. */
  readonly limit: number
  /** Aim for the requests to each host. */
  readonly requests: number
}

const LOOKS = {
  'whether services run': ['davit-query', '--status'],
  'what is wrong': ['davit-doctor', '-q', '--deployed'],
} as const

/** Measures how long it takes to look at many hosts, beside ssh to the same hosts. */
export async function benchLook(place: Workplace, { name, runs, ...terms }: LookTerms): Promise<readonly Line[]> {
  return withHosts(place, terms.hosts, async (hosts) => {
    const room = wrapperRoom(place, name, { targets: hosts, hosts })
    await room.prepare(
      'all',
      servicesOn(hosts.length, hosts, () => ':'),
    )
    await measure(room.deploy('all'), room.options)
    const lines: Line[] = []
    for (const [what, command] of Object.entries(LOOKS)) {
      const davit: FullMeasurement[] = []
      const ssh: FullMeasurement[] = []
      // One after the other, as each measures alone.
      // oxlint-disable-next-line no-await-in-loop
      await inTurn(place, runs, {
        davit: async () => void davit.push(await measure(command, room.options)),
        baseline: async () => void ssh.push(await sshToAll(hosts, room.options)),
      })
      const row = timeRow(`${hosts.length} hosts: ${what}`, davit, ssh)
      // oxlint-disable-next-line no-await-in-loop
      const { trace, notes } = await whereOf(command, { ...room.options, hosts })
      const requests = requestsRow(trace.counts.request / hosts.length, terms.requests)
      lines.push(withAims(row, { ratio: terms.limit }), requests, ...notes)
    }
    return lines
  })
}

/** Requests to this machine are a fraction of one to each host. */
function requestsRow(requests: number, limit: number): Row {
  const met = Math.floor(requests) <= limit
  return { what: '  requests to each host', davit: requests.toFixed(2), aims: [{ text: `≤ ${limit}`, met }] }
}
