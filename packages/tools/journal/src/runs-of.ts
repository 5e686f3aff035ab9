import type { BeginEntry, EndEntry, JournalEntry, ReadEntry, StepEntry } from '@davit/coordinator-state'

/** What was typed: a tool, or something that runs several of them. */
export interface Run {
  readonly id: string
  readonly time: Date
  readonly executions: readonly Execution[]
  /** All of it, in the order in which it was written. */
  readonly read: readonly ReadEntry[]
}

/** Of one tool. */
export interface Execution {
  readonly id: string
  /** Nothing where it is not in the journal any more. */
  readonly begin: BeginEntry | undefined
  readonly end: EndEntry | undefined
}

/** In the order of their beginnings. Entries of tools that run at the same time are mixed in the journal. */
export function runsOf(read: readonly ReadEntry[]): readonly Run[] {
  const names = new Map(read.flatMap(({ entry }) => (entry.kind === 'begin' ? [[entry.id, entry.run]] : [])))
  const groups = groupedBy(read, ({ entry }) => names.get(entry.id) ?? entry.id)
  return [...groups].map(([id, entries]) => ({
    id,
    time: new Date(entries[0]?.entry.time ?? 0),
    executions: executionsIn(entries.map(({ entry }) => entry)),
    read: entries,
  }))
}

/** Kinds that came later are no steps. */
export function isStep(entry: JournalEntry): entry is StepEntry {
  return entry.kind === 'started' || entry.kind === 'finished' || entry.kind === 'failed'
}

function executionsIn(entries: readonly JournalEntry[]): readonly Execution[] {
  return [...groupedBy(entries, ({ id }) => id)].map(([id, own]) => ({
    id,
    begin: own.find((entry) => entry.kind === 'begin'),
    end: own.findLast((entry) => entry.kind === 'end'),
  }))
}

function groupedBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return groups
}
