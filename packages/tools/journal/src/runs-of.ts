import type { BeginEntry, EndEntry, JournalEntry, ReadEntry, StepEntry } from '@davit/coordinator-state'

/** A run: one tool, or a program that runs several of them. */
export interface Run {
  readonly id: string
  readonly time: Date
  readonly executions: readonly Execution[]
  /** All entries, in the order in which they were written. */
  readonly read: readonly ReadEntry[]
}

/** Execution of one tool. */
export interface Execution {
  readonly id: string
  /** Undefined if it is no longer in the journal. */
  readonly begin: BeginEntry | undefined
  readonly end: EndEntry | undefined
}

/** Groups entries into runs, ordered by their beginning. Entries of tools that run at the same time are mixed in the journal. */
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

/** Whether an entry is about a step; kinds unknown to this version are not. */
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
