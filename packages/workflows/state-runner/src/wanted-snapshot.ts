import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import type { Snapshot, SnapshotStore } from '@davit/target'

/** Which of the snapshots of a component is wanted. */
export type WantedSnapshot =
  | { readonly kind: 'latest' }
  | { readonly kind: 'named'; readonly prefix: string }
  /** The one that was the latest at that time. */
  | { readonly kind: 'at'; readonly time: Date; readonly text: string }

/** The snapshots that the coordinator keeps of a component of one target, in the order of their generations. */
export interface KeptComponent {
  readonly target: TargetName
  readonly store: SnapshotStore
  readonly snapshots: readonly Snapshot[]
}

export interface ChosenSnapshot {
  readonly target: TargetName
  readonly store: SnapshotStore
  readonly snapshot: Snapshot
}

const DATE = /^\d{4}-\d{2}-\d{2}$/
const TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(Z|UTC|[+-]\d{2}:?\d{2})?$/

/** Parses a name, or the beginning of one, a date, which means its end, or a time; both are in UTC unless the time has an offset. */
export function parseWanted(text: string): WantedSnapshot {
  const iso = isoOf(text)
  if (iso === undefined) {
    if (/^[A-Za-z0-9_+?=][A-Za-z0-9_.+?=-]*$/.test(text)) return { kind: 'named', prefix: text }
    throw unusable(text)
  }
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) throw unusable(text)
  return { kind: 'at', time, text }
}

function isoOf(text: string): string | undefined {
  if (DATE.test(text)) return `${text}T23:59:59.999Z`
  const [, date, time, zone = 'Z'] = TIME.exec(text) ?? []
  return date === undefined ? undefined : `${date}T${time}${zone === 'UTC' ? 'Z' : zone}`
}

function unusable(text: string): DavitError {
  return new DavitError('usage', `'${text}' is neither the name of a snapshot nor a date or time`, {
    exitStatus: ExitStatus.usage,
    hint: 'davit-snapshots lists names; write a time as 2026-11-23, or as 2026-11-23T02:00',
  })
}

/**
 * Chooses from what is kept of a component: if possible of the preferred target, otherwise the newest of any target. Undefined if there
 * is none.
 */
export function chooseSnapshot(
  kept: readonly KeptComponent[],
  wanted: WantedSnapshot,
  preferred: TargetName | undefined,
): ChosenSnapshot | undefined {
  const found = kept.flatMap(({ target, store, snapshots }): ChosenSnapshot[] => {
    const snapshot = chosenFrom(snapshots, wanted)
    return snapshot === undefined ? [] : [{ target, store, snapshot }]
  })
  const when = wanted.kind === 'latest' ? lastSeen : timeOf
  const newest = found.toSorted((one, other) => when(one.snapshot) - when(other.snapshot)).at(-1)
  return found.find(({ target }) => target === preferred) ?? newest
}

function chosenFrom(snapshots: readonly Snapshot[], wanted: WantedSnapshot): Snapshot | undefined {
  switch (wanted.kind) {
    case 'latest':
      return snapshots.at(-1)
    case 'named':
      return (
        snapshots.findLast(({ name }) => name === wanted.prefix) ??
        snapshots.findLast(({ name }) => name.startsWith(wanted.prefix))
      )
    case 'at': {
      const before = snapshots.filter((one) => timeOf(one) <= wanted.time.getTime())
      return before.toSorted((one, other) => timeOf(one) - timeOf(other)).at(-1)
    }
  }
}

/** The names that begin with a prefix; only the one that is the prefix itself, if there is that one. */
export function namesWith(kept: readonly KeptComponent[], prefix: string): readonly string[] {
  const names = new Set(kept.flatMap(({ snapshots }) => snapshots.map(({ name }) => name)))
  return names.has(prefix) ? [prefix] : [...names].filter((name) => name.startsWith(prefix))
}

/** When a state began to be the latest, as far as that is known: the same state may have been taken again later. */
export function beginningOf(snapshot: Snapshot): Date | undefined {
  return timesOf(snapshot)[0]
}

/** The times at which a state is known to have been the latest, in their order. */
function timesOf({ since, facts }: Snapshot): readonly Date[] {
  const times = [since, facts.taken === undefined ? undefined : new Date(facts.taken)].filter(isTime)
  return times.toSorted((one, other) => one.getTime() - other.getTime())
}

function isTime(time: Date | undefined): time is Date {
  return time !== undefined && !Number.isNaN(time.getTime())
}

function timeOf(snapshot: Snapshot): number {
  return beginningOf(snapshot)?.getTime() ?? 0
}

function lastSeen(snapshot: Snapshot): number {
  return timesOf(snapshot).at(-1)?.getTime() ?? 0
}
