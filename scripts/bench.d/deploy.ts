import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BenchHost, withHosts } from './bench-host.ts'
import { type FullMeasurement, measure, textOf } from './measure.ts'
import { type Row, timeRow, withAims } from './table.ts'
import { inTurn, roomFor, type Workplace } from './workplace.ts'

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
export async function benchDeploy(place: Workplace, terms: DeployTerms): Promise<readonly Row[]> {
  return withHosts(place, HOSTS, async (hosts) => {
    const bench = new DeployBench(place, hosts, terms)
    await bench.build()
    await inTurn(place, terms.runs, bench)
    return PHASES.map((phase) => {
      const what = `${terms.services} services on ${HOSTS} hosts: ${phase}`
      return withAims(timeRow(what, bench.times[phase], bench.node), { ratio: terms.limits[phase] })
    })
  })
}

class DeployBench {
  readonly times: Readonly<Record<Phase, FullMeasurement[]>> = { install: [], unchanged: [], upgrade: [], undeploy: [] }
  readonly node: FullMeasurement[] = []
  readonly #options: { readonly directory: string; readonly environment: NodeJS.ProcessEnv }

  constructor(place: Workplace, hosts: readonly BenchHost[], { name, services }: DeployTerms) {
    const directory = roomFor(place, name)
    this.#options = {
      directory,
      environment: {
        ...place.environment,
        PATH: `${place.bin}:${place.environment['PATH'] ?? ''}`,
        DAVIT_STATE_DIR: join(directory, 'state'),
        DAVIT_STORE_DIR: join(directory, 'store'),
        ...(hosts[0] === undefined ? {} : { DAVIT_SSH_CONFIG: hosts[0].configuration }),
      },
    }
    const names = Array.from({ length: services }, (_, number) => `s${number}`)
    for (const [version, upgraded] of [
      ['old', 0],
      ['new', services / UPGRADED],
    ] as const) {
      writeModels(join(directory, version), { names, upgraded, hosts: hosts.map((host) => host.name) })
    }
  }

  async build(): Promise<void> {
    for (const version of ['old', 'new']) await textOf([...this.#deploy(version), '--dry-run'], this.#options)
  }

  async davit(): Promise<void> {
    const commands: Readonly<Record<Phase, readonly string[]>> = {
      install: this.#deploy('old'),
      unchanged: this.#deploy('old'),
      upgrade: this.#deploy('new'),
      undeploy: ['davit-env', '--undeploy', '-i', 'old/infrastructure.json'],
    }
    for (const phase of PHASES) this.times[phase].push(await measure(commands[phase], this.#options))
  }

  async baseline(): Promise<void> {
    this.node.push(await measure([process.execPath, '-e', '0'], this.#options))
  }

  #deploy(version: string): readonly string[] {
    const models = ['services', 'infrastructure', 'distribution'].flatMap((role) => [
      `--${role}`,
      `${version}/${role}.json`,
    ])
    return ['davit-env', ...models]
  }
}

interface Models {
  readonly names: readonly string[]
  /** Number of services that have another package. */
  readonly upgraded: number
  readonly hosts: readonly string[]
}

function writeModels(directory: string, { names, upgraded, hosts }: Models): void {
  mkdirSync(directory)
  const write = (role: string, model: object) => writeFileSync(join(directory, `${role}.json`), JSON.stringify(model))
  const wrapper = (version: string) =>
    `mkdir -p "$out/bin"; printf '#!/bin/sh\\n# ${version}\\n' >"$out/bin/wrapper"; chmod 755 "$out/bin/wrapper"`
  const services = names.map((name, index) => {
    return [name, { type: 'wrapper', pkg: { build: { script: wrapper(index < upgraded ? `new ${name}` : name) } } }]
  })
  write('services', Object.fromEntries(services))
  const target = (hostname: string) => ({ properties: { hostname }, containers: { wrapper: {} } })
  write('infrastructure', Object.fromEntries(hosts.map((host) => [host, target(host)])))
  write('distribution', Object.fromEntries(names.map((name, index) => [name, [hosts[index % hosts.length]]])))
}
