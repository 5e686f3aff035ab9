import { eventually } from '@davit/testing/wait'

import { type Coordinator, type Outcome, succeeded } from './coordinator.ts'
import { copyExample, type Example } from './examples.ts'
import type { Host } from './hosts.ts'
import { processTable, type ServiceProcess } from './process-table.ts'

/** The shop of the example `stacks`, in the directory of a user, and the machines on which it runs. */
export interface Shop {
  readonly example: Example
  /** Deploys a stack, by default the shop, with these words behind `--`; the outcome may be a refusal. */
  run(words: string, choice?: StackChoice): Promise<Outcome>
  /** Deploys the shop with these words behind `--`. */
  deploy(words: string): Promise<Outcome>
  /** What davit-env has started, in order of the names of services. */
  processes(): Promise<readonly ServiceProcess[]>
  /** Hosts of each service. */
  places(): Promise<Places>
  /** What the gateway answers. */
  page(gate?: string, port?: number): Promise<string>
  /** The number on the page. */
  count(): Promise<number>
}

export type Places = Readonly<Record<string, readonly string[]>>

export interface StackChoice {
  readonly stack?: string
  readonly options?: string
}

export async function openShop(user: Coordinator, hosts: readonly Host[]): Promise<Shop> {
  const example = await copyExample(user, 'stacks', hosts)
  const run = (words: string, { stack = 'shop', options = '' }: StackChoice = {}) =>
    user.run(['davit-env', '--stack', stack, '-c', 'test', ...wordsIn(options), '--', ...wordsIn(words)], {
      directory: example.directory,
    })
  const processes = () => processTable(hosts)
  const page = async (gate = 'shop.gate', port = 8080) => {
    const found = (await processes()).find(({ service }) => service === gate)
    const address = hosts.find(({ name }) => name === found?.host)?.address
    return (await fetch(`http://${address}:${port}/`)).text()
  }
  return {
    example,
    run,
    deploy: async (words) => succeeded(await run(words)),
    processes,
    places: async () => placesOf(await processes()),
    page,
    count: async () => Number(/ (\d+) things/.exec(await page())?.[1]),
  }
}

function wordsIn(text: string): readonly string[] {
  return text.split(' ').filter((word) => word !== '')
}

function placesOf(processes: readonly ServiceProcess[]): Places {
  const hostsOf = (name: string) => processes.filter(({ service }) => service === name).map(({ host }) => host)
  return Object.fromEntries(processes.map(({ service }) => [service, hostsOf(service).toSorted()]))
}

/** Tells which services run in other processes than before. */
export function restarted(before: readonly ServiceProcess[], after: readonly ServiceProcess[]): readonly string[] {
  const keyOf = ({ service, host, pid, began }: ServiceProcess) => [service, host, pid, began].join()
  const known = new Set(before.map(keyOf))
  return [...new Set(after.filter((one) => !known.has(keyOf(one))).map(({ service }) => service))]
}

/** Waits until the number on the page is higher than one, and returns it. */
export function risen(shop: Shop, above: number): Promise<number> {
  return eventually(`a number above ${above}`, async () => {
    const count = await shop.count()
    return count > above && count
  })
}

const RECORDS = `cd /var/lib/davit && find targets -type f ! -path '*/log/*' | LC_ALL=C sort | xargs sha256sum`

/** Digests of everything that the hosts remember of deployments. */
export function recordsOf(hosts: readonly Host[]): Promise<readonly string[]> {
  return Promise.all(hosts.map((host) => host.sh(RECORDS)))
}
