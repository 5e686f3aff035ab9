import type { Host } from './hosts.ts'

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

const READ_ENVIRONMENTS = `
for directory in /proc/[0-9]*; do
  grep -qsz '^DAVIT_INVOCATION=' "$directory/environ" || continue
  read -r line < "$directory/stat" || continue
  set -- \${line##*) }
  echo "pid \${directory#/proc/} \${20}"
  tr '\\0' '\\n' < "$directory/environ"
done`

/** Returns all processes of services on the hosts, in order of the names of the services. */
export async function processTable(hosts: readonly Host[]): Promise<readonly ServiceProcess[]> {
  const tables = await Promise.all(
    hosts.map(async (host) => {
      const text = await host.sh(READ_ENVIRONMENTS)
      return text
        .split(/^pid /m)
        .slice(1)
        .map((entry) => parseProcess(host.name, entry))
    }),
  )
  return tables.flat().toSorted((left, right) => (left.service < right.service ? -1 : 1))
}

function parseProcess(host: string, entry: string): ServiceProcess {
  const [head = '', ...lines] = entry.trimEnd().split('\n')
  const [pid = '', began = ''] = head.split(' ')
  const environment = new Map(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const),
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
