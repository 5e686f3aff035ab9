import { nameText, renderBytes, renderTime } from '@davit/diagnostics'
import type { Manifest, TargetName } from '@davit/documents'
import { beginningOf, isComponentSelected, type StateSelection } from '@davit/state-runner'
import type { Snapshot } from '@davit/target'
import { renderTable } from '@davit/tool'
import { statefulServices } from '@davit/transition'

/** A snapshot in a store, as listed. */
export interface ListedSnapshot {
  /** Undefined if neither the snapshot nor the manifest tells. */
  readonly service: string | undefined
  readonly container: string
  readonly component: string
  readonly target: TargetName
  readonly where: 'target' | 'coordinator'
  readonly generation: number
  /** When the state was first taken; in ISO 8601. */
  readonly taken: string | undefined
  /** When it was found to be the same for the last time. */
  readonly again: string | undefined
  /** Size of the state, uncompressed. */
  readonly bytes: number | undefined
  readonly name: string
  readonly pkg: string | undefined
  /** The last time that it was loaded, or its content compared. */
  readonly verified: Verified | undefined
}

interface Verified {
  /** In ISO 8601. */
  readonly at: string
  /** Target on which that was done. */
  readonly on: string
  readonly how: NonNullable<Snapshot['facts']['verifiedHow']>
}

/** A store whose snapshots are listed. */
export interface StoreOfTarget {
  readonly target: TargetName
  readonly where: ListedSnapshot['where']
  readonly snapshots: readonly Snapshot[]
}

/** Lists the selected snapshots, by service, component and target, oldest first. */
export function listedSnapshots(
  stores: readonly StoreOfTarget[],
  selection: StateSelection,
  manifest: Manifest | undefined,
): readonly ListedSnapshot[] {
  const services = servicesByComponent(manifest)
  const listed = stores.flatMap(({ target, where, snapshots }) =>
    snapshots.map((one): ListedSnapshot => {
      const { container, component, generation, name, facts } = one
      const service = facts.service ?? services.get(`${target} ${container} ${component}`)
      const times = timesOf(one)
      return {
        service,
        container,
        component,
        target,
        where,
        generation,
        ...times,
        bytes: facts.bytes,
        name,
        pkg: facts.pkg,
        verified: verifiedOf(one),
      }
    }),
  )
  return listed
    .filter((one) => isComponentSelected(one, selection) && isServiceSelected(one, selection))
    .toSorted((one, other) => compare(orderOf(one), orderOf(other)) || one.generation - other.generation)
}

function isServiceSelected({ service }: ListedSnapshot, { services }: StateSelection): boolean {
  return services.length === 0 || (service !== undefined && services.includes(service))
}

function servicesByComponent(manifest: Manifest | undefined): ReadonlyMap<string, string> {
  const services = manifest === undefined ? [] : statefulServices(manifest)
  return new Map(
    services.map(({ service, mapping, component }) => [
      `${mapping.target} ${mapping.container} ${component}`,
      service.name,
    ]),
  )
}

function timesOf(snapshot: Snapshot): Pick<ListedSnapshot, 'taken' | 'again'> {
  const taken = beginningOf(snapshot)
  const last = new Date(snapshot.facts.taken ?? '')
  const isLater = taken !== undefined && last > taken
  return { taken: taken?.toISOString(), again: isLater ? last.toISOString() : undefined }
}

function verifiedOf({ facts }: Snapshot): Verified | undefined {
  const { verified, verifiedOn: on, verifiedHow: how } = facts
  const time = new Date(verified ?? '')
  if (on === undefined || how === undefined || Number.isNaN(time.getTime())) return undefined
  return { at: time.toISOString(), on, how }
}

function orderOf({ service, container, component, target, where }: ListedSnapshot): string {
  return [service ?? '', container, component, target, where].join(' ')
}

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

const TITLES = ['SERVICE', 'COMPONENT', 'TARGET', 'TAKEN', 'LAST', 'SIZE', 'NAME', 'KEPT ON', 'VERIFIED']

/** Renders a table with a line for each snapshot. */
export function renderSnapshots(listed: readonly ListedSnapshot[]): string {
  return renderTable([TITLES, ...listed.map(cellsOf)])
}

function cellsOf(one: ListedSnapshot): readonly string[] {
  const { service = '-', container, component, target, taken, again, bytes, name, where, verified } = one
  const times = [taken, again].map((time) => (time === undefined ? '-' : renderTime(new Date(time))))
  const size = bytes === undefined ? '-' : renderBytes(bytes)
  return [
    service === '-' ? service : nameText(service),
    `${nameText(container)}/${nameText(component)}`,
    target,
    ...times,
    size,
    nameText(shortened(name)),
    where,
    verified === undefined
      ? '-'
      : `${WORDS[verified.how]} ${nameText(verified.on)}, ${renderTime(new Date(verified.at))}`,
  ]
}

const WORDS = { content: 'content on', loaded: 'loaded on', failed: 'FAILED on' } as const

/** Names are long; their beginning is enough where it is unique. */
function shortened(name: string): string {
  return /^[0-9a-f]{64}$/.test(name) ? name.slice(0, 16) : name
}
