import { eventually } from '@davit/testing/wait'
import { contentIn, type Host, namesIn } from './hosts.ts'

/** A process that the module `process` has started, as found in /proc. */
export interface ServiceProcess {
  readonly host: string
  readonly service: string
  /** Store path of its package. */
  readonly component: string
  readonly pid: string
  /** Start time in ticks since the start of this machine, on which all test hosts are. */
  readonly began: number
  readonly environment: ReadonlyMap<string, string>
}

/** Returns all processes of services on the hosts, in order of the names of the services. */
export async function processTable(hosts: readonly Host[]): Promise<readonly ServiceProcess[]> {
  const table = hosts.flatMap((host) =>
    namesIn(host, '/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => processOn(host, pid)),
  )
  return table.toSorted((left, right) => (left.service < right.service ? -1 : 1))
}

/** Returns a process of a service; nothing if it is something else, or has ended. */
function processOn(host: Host, pid: string): readonly ServiceProcess[] {
  const variables = (contentIn(host, `/proc/${pid}/environ`) ?? '').split('\0').filter((variable) => variable !== '')
  const began = contentIn(host, `/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, '')
    .split(' ')[19]
  const isService = variables.some((variable) => variable.startsWith('DAVIT_INVOCATION='))
  return isService && began !== undefined ? [parseProcess(host.name, { pid, began, variables })] : []
}

/** Kills a process on a host, and waits until it has ended. */
export async function killOn(host: Host, pid: string): Promise<void> {
  await host.sh('kill -9 "$1"', pid)
  await eventually(`the end of process ${pid}`, () => !contentIn(host, `/proc/${pid}/environ`))
}

interface ProcessEntry {
  readonly pid: string
  readonly began: string
  readonly variables: readonly string[]
}

function parseProcess(host: string, { pid, began, variables }: ProcessEntry): ServiceProcess {
  const environment = new Map(
    variables.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const),
  )
  const textOf = (name: string) => environment.get(name) ?? ''
  return {
    host,
    service: textOf('DAVIT_SERVICE'),
    component: textOf('DAVIT_COMPONENT'),
    pid,
    began: Number(began),
    environment,
  }
}
