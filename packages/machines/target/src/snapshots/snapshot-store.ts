import { decodeField } from '@davit/target-runtime'

import { badAnswer } from '../helper/answer-lines.ts'
import type { Machine } from '../machine.ts'

/** A store of snapshots: that of a target, or one on the coordinator. */
export interface SnapshotStore {
  readonly machine: Machine<'state'>
  /** Its directory below the state directory of the machine, such as `targets/TARGET`. */
  readonly place: string
}

export interface Component {
  readonly container: string
  readonly component: string
}

/** A snapshot in a store, by one of its generations. */
export interface Snapshot extends Component {
  /** The highest generation of a component is its latest snapshot. */
  readonly generation: number
  readonly name: string
  /** When it became the latest of the component in this store; undefined if the machine cannot tell. */
  readonly since?: Date
  readonly facts: SnapshotFacts
}

/** What is known about a snapshot; of those that Dysnomia took, nothing. */
export interface SnapshotFacts {
  readonly taken?: string
  /** Size of the state, uncompressed. */
  readonly bytes?: number
  /** Name of the service. */
  readonly service?: string
  readonly pkg?: string
  /** Target on which it was taken. */
  readonly target?: string
  /** Names of the snapshots from which its state had come, with colons between. */
  readonly follows?: string
  /** When it was verified last; where and how are known then as well. */
  readonly verified?: string
  readonly verifiedHow?: VerifiedHow
  /** Target on which it was verified. */
  readonly verifiedOn?: string
}

/** Whether its content was compared with its listing, or it was loaded as well; or whether that failed. */
export type VerifiedHow = 'content' | 'loaded' | 'failed'

/** Lists the snapshots of a component, or of all, in the order of their generations. */
export async function listSnapshots({ machine, place }: SnapshotStore, only?: Component): Promise<readonly Snapshot[]> {
  const fields = only === undefined ? [] : [only.container, only.component]
  const found: ListedSnapshot[] = []
  for (const line of await machine.request('snapshots', [place, ...fields])) {
    if (!takeLine(line, found)) throw badAnswer(machine.address)
  }
  return found.map(({ fields: known, ...one }) => ({ ...one, facts: factsOf(known) })).toSorted(inOrder)
}

type ListedSnapshot = Omit<Snapshot, 'facts'> & { readonly fields: Map<string, string> }

/** Names are those of packages, since tools print them and machines make paths of them. */
const NAME = '[A-Za-z0-9_+?=][A-Za-z0-9_.+?=-]{0,254}'
const GENERATION = new RegExp(`^generation ${NAME} ${NAME} \\d{1,15} ${NAME} (?:\\d{1,11}|-)$`)
const COMPONENT = new RegExp(`^component (${NAME}) (${NAME})$`)

/** Adds what a line tells to the list; returns whether it could be understood. */
function takeLine(line: string, found: ListedSnapshot[]): boolean {
  const words = line.split(' ')
  const last = found.at(-1)
  if (GENERATION.test(line)) {
    const [container, component, generation, name, seconds] = words.slice(1) as [string, string, string, string, string]
    const since = seconds === '-' ? {} : { since: new Date(Number(seconds) * 1000) }
    found.push({ container, component, generation: Number(generation), name, ...since, fields: new Map() })
    return true
  }
  if (last === undefined || !/^fact \S+ \S+$/.test(line)) return false
  const [field, word] = words.slice(1) as [string, string]
  last.fields.set(field, decodeField(word))
  return true
}

/** Lists the components of which a store has anything, even if it is a rest that no generation refers to. */
export async function listComponents({ machine, place }: SnapshotStore): Promise<readonly Component[]> {
  const lines = await machine.request('snapshot_components', [place])
  return [...new Set(lines)].toSorted().map((line) => {
    const [, container, component] = COMPONENT.exec(line) ?? []
    if (container === undefined || component === undefined) throw badAnswer(machine.address)
    return { container, component }
  })
}

/** Returns the latest snapshot of a component, or the one with a name. */
export async function findSnapshot(
  store: SnapshotStore,
  component: Component,
  name?: string,
): Promise<Snapshot | undefined> {
  const all = await listSnapshots(store, component)
  return all.findLast((one) => name === undefined || one.name === name)
}

/** Returns the words with which facts about a snapshot are written down. */
export function factFields({ bytes, service, verifiedHow, verifiedOn, ...texts }: SnapshotFacts): readonly string[] {
  const { taken, pkg, target, follows, verified } = texts
  const size = bytes === undefined ? undefined : String(bytes)
  const verification = { verified, 'verified-how': verifiedHow, 'verified-on': verifiedOn }
  const facts = { taken, bytes: size, name: service, pkg, target, follows, ...verification }
  return Object.entries(facts).flatMap(([field, text]) => (text === undefined ? [] : [field, text]))
}

/** Leaves out what no honest machine tells. */
function factsOf(fields: ReadonlyMap<string, string>): SnapshotFacts {
  const facts: Record<string, string | number> = {}
  for (const [fact, field, pattern] of FACTS) {
    const text = fields.get(field)
    if (text !== undefined && pattern.test(text)) facts[fact] = fact === 'bytes' ? Number(text) : text
  }
  const { verified, verifiedHow, verifiedOn, ...others } = facts as SnapshotFacts
  const isWhole = verified !== undefined && verifiedHow !== undefined && verifiedOn !== undefined
  return isWhole ? facts : others
}

const TEXT = /^[^\p{Cc}]{1,1000}$/u

const FACTS = [
  ['taken', 'taken', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/],
  ['bytes', 'bytes', /^\d{1,18}$/],
  ['service', 'name', TEXT],
  ['pkg', 'pkg', TEXT],
  ['target', 'target', TEXT],
  ['follows', 'follows', /^[A-Za-z0-9_.+?=:-]{1,10000}$/],
  ['verified', 'verified', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/],
  ['verifiedHow', 'verified-how', /^(?:content|loaded|failed)$/],
  ['verifiedOn', 'verified-on', /^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,254}$/],
] as const

function inOrder(left: Snapshot, right: Snapshot): number {
  const [one, other] = [left, right].map(({ container, component }) => `${container} ${component}`)
  if (one !== other) return (one ?? '') < (other ?? '') ? -1 : 1
  return left.generation - right.generation
}
