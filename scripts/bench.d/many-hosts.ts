import { ANSIBLE_MISSING, type Ansible, ansibleFor, hasAnsible } from './ansible.ts'
import { type BenchHost, withHosts } from './bench-host.ts'
import { type FullMeasurement, measure } from './measure.ts'
import { sshToAll } from './ssh-to-all.ts'
import { type Line, timeRow, withAims } from './table.ts'
import { inTurn, type Workplace } from './workplace.ts'
import { servicesOn, type WrapperRoom, wrapperRoom } from './wrapper-room.ts'

export interface ManyHostsTerms {
  readonly name: string
  readonly hosts: number
  readonly runs: number
  readonly limits: {
    /** Aims as multiples of `ssh HOST true` for all hosts. */
    readonly unchanged: number
    readonly changed: number
    /** How many times faster than Ansible. */
    readonly faster: number
  }
}

const VERSIONS = ['old', 'new'] as const

/** Measures deployments of one service to each of many hosts, beside ssh to the same hosts, and beside Ansible if it is installed. */
export async function benchManyHosts(place: Workplace, terms: ManyHostsTerms): Promise<readonly Line[]> {
  return withHosts(place, terms.hosts, async (hosts) => {
    const room = wrapperRoom(place, terms.name, { targets: hosts, hosts })
    for (const version of VERSIONS)
      await room.prepare(
        version,
        servicesOn(hosts.length, hosts, () => `# ${version}`),
      )
    const bench = new ManyHostsBench(room, hosts, hasAnsible() ? ansibleFor(place, hosts, VERSIONS) : undefined)
    await bench.begin()
    await inTurn(place, terms.runs, bench)
    return linesOf(terms, bench)
  })
}

class ManyHostsBench {
  readonly unchanged: FullMeasurement[] = []
  readonly changed: FullMeasurement[] = []
  readonly ssh: FullMeasurement[] = []
  readonly ansible: { readonly unchanged: FullMeasurement[]; readonly changed: FullMeasurement[] } | undefined
  readonly #room: WrapperRoom
  readonly #hosts: readonly BenchHost[]
  readonly #rival: Ansible | undefined
  #version: (typeof VERSIONS)[number] = 'old'
  #rivalVersion: (typeof VERSIONS)[number] = 'old'

  constructor(room: WrapperRoom, hosts: readonly BenchHost[], rival: Ansible | undefined) {
    this.#room = room
    this.#hosts = hosts
    this.#rival = rival
    this.ansible = rival === undefined ? undefined : { unchanged: [], changed: [] }
  }

  /** Deploys the first version with both. */
  async begin(): Promise<void> {
    await measure(this.#room.deploy('old'), this.#room.options)
    if (this.#rival !== undefined) await measure(this.#rival.deploy('old'), this.#rival.options)
  }

  async davit(): Promise<void> {
    this.unchanged.push(await measure(this.#room.deploy(this.#version), this.#room.options))
    this.#version = other(this.#version)
    this.changed.push(await measure(this.#room.deploy(this.#version), this.#room.options))
  }

  async baseline(): Promise<void> {
    this.ssh.push(await sshToAll(this.#hosts, this.#room.options))
    if (this.#rival === undefined) return
    const { deploy, options } = this.#rival
    this.ansible?.unchanged.push(await measure(deploy(this.#rivalVersion), options))
    this.#rivalVersion = other(this.#rivalVersion)
    this.ansible?.changed.push(await measure(deploy(this.#rivalVersion), options))
  }

  async where(kind: 'unchanged' | 'changed'): Promise<readonly Line[]> {
    if (kind === 'changed') this.#version = other(this.#version)
    return this.#room.where(this.#room.deploy(this.#version))
  }
}

function other(version: (typeof VERSIONS)[number]): (typeof VERSIONS)[number] {
  return version === 'old' ? 'new' : 'old'
}

async function linesOf({ hosts, limits }: ManyHostsTerms, bench: ManyHostsBench): Promise<readonly Line[]> {
  const { ansible } = bench
  const lines: Line[] = []
  for (const kind of ['unchanged', 'changed'] as const) {
    const what = kind === 'unchanged' ? `${hosts} hosts, one service each: unchanged` : '  one service changed on each'
    lines.push(withAims(timeRow(what, bench[kind], bench.ssh), { ratio: limits[kind] }))
    if (ansible !== undefined) {
      lines.push(withAims(timeRow('  the same beside Ansible', bench[kind], ansible[kind]), { faster: limits.faster }))
    }
    lines.push(...(await bench.where(kind)))
  }
  if (ansible === undefined) lines.push({ note: `beside Ansible: skipped: ${ANSIBLE_MISSING}` })
  return lines
}
