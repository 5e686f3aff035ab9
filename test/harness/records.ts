import { rm } from 'node:fs/promises'
import { decodeField } from '@davit/target-runtime'
import type { Coordinator } from './coordinator.ts'
import { contentIn, type Host, namesIn } from './hosts.ts'

/** A record of a service on a target. */
export interface ActiveRecord {
  readonly target: string
  readonly container: string
  readonly service: string
  readonly key: string
  readonly pkg: string
  readonly state: string
  readonly properties: Readonly<Record<string, string>>
}

const STATE = '/var/lib/davit'

/** Returns the records of a profile on a host. */
export async function recordsOn(host: Host, profile = 'default'): Promise<readonly ActiveRecord[]> {
  const targets = namesIn(host, `${STATE}/targets`).map((target) => `${STATE}/targets/${target}/active/${profile}`)
  const mappings = targets.flatMap((directory) =>
    namesIn(host, directory)
      .filter((name) => name.includes(':'))
      .map((name) => `${directory}/${name}`),
  )
  return mappings.flatMap((mapping) => {
    const record = contentIn(host, `${mapping}/record`)
    const state = contentIn(host, `${mapping}/state`)?.split('\n', 1)[0] || 'activating'
    return record === undefined ? [] : [parseRecord(`${mapping} ${state}\n${record}`)]
  })
}

function parseRecord(text: string): ActiveRecord {
  const [head = '', ...lines] = text.trimEnd().split('\n')
  const [, target = '', container = '', key = '', state = ''] =
    /targets\/([^/]+)\/active\/[^/]+\/([^/]+):([^ ]+) (\S+)$/.exec(head) ?? []
  const fields = new Map<string, string>(
    lines.map((line) => [line.split(' ', 1)[0] ?? '', line.slice(line.indexOf(' ') + 1)]),
  )
  const textOf = (field: string) => decodeField(fields.get(field) ?? '')
  const properties = [...fields].flatMap(([field, word]) =>
    field.startsWith('property.') ? [[field.slice('property.'.length), decodeField(word)]] : [],
  )
  return {
    target,
    container,
    service: textOf('name'),
    key,
    pkg: textOf('pkg'),
    state,
    properties: Object.fromEntries(properties) as Record<string, string>,
  }
}

/** Returns the record of the only mapping of a service on a host. */
export async function recordOf(service: string, host: Host): Promise<ActiveRecord> {
  const records = (await recordsOn(host)).filter((record) => record.service === service)
  if (records.length !== 1) throw new Error(`${records.length} records of '${service}' on '${host.name}'`)
  return records[0]!
}

/** Returns `TARGET CONTAINER SERVICE` of all records on the hosts, followed by the state if it is not `active`. */
export async function activeOn(hosts: readonly Host[], profile?: string): Promise<readonly string[]> {
  const records = (await Promise.all(hosts.map((host) => recordsOn(host, profile)))).flat()
  return records
    .map(({ target, container, service, state }) =>
      [target, container, service, ...(state === 'active' ? [] : [state])].join(' '),
    )
    .toSorted()
}

/** Returns the numbers of the generations of a target's profile, and the current profile. */
export async function profileOn(host: Host, profile = 'default'): Promise<TargetProfile> {
  const script = `cd ${STATE}/targets/"$1"/profiles/"$2" 2>/dev/null && [ -L current ] || exit 0
    ls -d *-link; echo "current $(readlink -f current)"; cat "$(readlink -f current)"/profilemanifest.xml`
  const text = await host.sh(script, host.name, profile)
  const generations = [...text.matchAll(/^(\d+)-link$/gm)].map(([, number]) => Number(number))
  const current = /^current (.*)$/m.exec(text)?.[1]
  return { generations, current, manifest: text.slice(text.indexOf('<?xml')) }
}

export interface TargetProfile {
  readonly generations: readonly number[]
  readonly current: string | undefined
  readonly manifest: string
}

/** Returns the directories that davit may have left on a host. */
export async function davitFilesOn(host: Host, storeDirectory: string): Promise<string> {
  return host.sh(`ls -d ${STATE} "$1" 2>/dev/null || :`, storeDirectory)
}

/** Removes what davit knows of deployments on hosts, and what a user knows, as if there had been none. Processes of services stay. */
export async function forgetDeployments(
  hosts: readonly Host[],
  { stateDirectory }: Pick<Coordinator, 'stateDirectory'>,
): Promise<void> {
  await Promise.all(hosts.map((host) => host.sh(`rm -rf ${STATE}`)))
  await rm(stateDirectory, { recursive: true, force: true })
}
