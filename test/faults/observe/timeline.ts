import type { JournalEntry } from './survey.ts'

/** The instances that run on the hosts, and the activities that are under way. */
export interface Activity {
  /** Instances whose process is up. */
  readonly running: ReadonlySet<string>
  /** Instances with an activity that has begun and not ended. */
  readonly busy: ReadonlyMap<string, 'activating' | 'deactivating'>
}

export interface Timeline extends Activity {
  readonly problems: readonly string[]
}

/**
 * Replays a journal, beginning with the instances that run, and the names of their services. It is a problem if two instances of a
 * service, or two activities of an instance, are there at the same time.
 */
export function follow(journal: readonly JournalEntry[], running: ReadonlyMap<string, string>): Timeline {
  const table: Table = { running: new Set(running.keys()), busy: new Map(), names: new Map(running), problems: [] }
  for (const entry of journal) {
    if (entry.event !== 'rebooted') table.names.set(entry.instance, entry.service)
    EVENTS[entry.event](table, entry)
  }
  return table
}

interface Table {
  readonly running: Set<string>
  readonly busy: Map<string, 'activating' | 'deactivating'>
  /** Instance → name of its service. */
  readonly names: Map<string, string>
  readonly problems: string[]
}

const EVENTS = {
  activating: begin('activating'),
  deactivating: begin('deactivating'),
  up: begun,
  /** A broken version runs as well, and has to be stopped. */
  broken: begun,
  doubled({ busy, problems }, { instance }) {
    problems.push(`'${instance}' was activated while it ran`)
    busy.delete(instance)
  },
  down({ running, busy }, { instance }) {
    running.delete(instance)
    busy.delete(instance)
  },
  rebooted({ running, busy }, { host }) {
    for (const table of [running, busy]) {
      for (const instance of table.keys()) if (instance.startsWith(`${host}:`)) table.delete(instance)
    }
  },
} satisfies Record<JournalEntry['event'], (table: Table, entry: JournalEntry) => void>

function begun({ running, busy, names, problems }: Table, { instance, service }: JournalEntry): void {
  const others = [...running].filter((other) => other !== instance && names.get(other) === service)
  if (others.length > 0) problems.push(`'${instance}' was started while '${others.join()}' ran`)
  if (running.has(instance)) problems.push(`'${instance}' was started twice`)
  running.add(instance)
  busy.delete(instance)
}

function begin(activity: 'activating' | 'deactivating') {
  return ({ busy, problems }: Table, { instance }: JournalEntry): void => {
    if (busy.has(instance)) problems.push(`'${instance}' began ${activity} while it was ${busy.get(instance)}`)
    busy.set(instance, activity)
  }
}
