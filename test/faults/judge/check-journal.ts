import type { Evidence, Goals } from '../drive/round.ts'
import { partsOf } from '../inject/points.ts'
import { type JournalEntry, journalOf } from '../observe/survey.ts'
import { type Activity, follow } from '../observe/timeline.ts'

/** Returns the entries of the modules since the round began. */
export function journalSince({ start }: Pick<Evidence, 'start'>, after: Evidence['start']): readonly JournalEntry[] {
  return journalOf(after).slice(journalOf(start).length)
}

/** Checks that everything was started and stopped exactly once, and never twice at a time. */
export function checkJournal(evidence: Evidence, { before, next, all }: Goals): readonly string[] {
  const { stages, fault, settledAt } = evidence
  const journal = journalSince(evidence, stages.at(-1)!.after)
  const rest = journal.filter(({ time }) => time > settledAt)
  const middle = follow(journal.slice(0, journal.length - rest.length), before.instances)
  const rebooted = journal.filter(({ event }) => event === 'rebooted').map(({ host }) => `${host}:`)
  const isRebooted = (instance: string) => rebooted.some((host) => instance.startsWith(host))
  const failing = stages.flatMap(({ run: { strike } }) => (strike?.kind === 'fail' ? [partsOf(strike.point).host] : []))
  const isFailing = (instance: string) => failing.some((host) => instance.startsWith(`${host}:`))
  const attempted = all[fault.step].instances
  const instances = new Set([...before.instances.keys(), ...attempted.keys(), ...next.instances.keys()])
  const counts = [...instances].flatMap((instance) =>
    checkCounts(instance, {
      middle,
      rest,
      isWanted: next.instances.has(instance),
      mayBeUndone: isRebooted(instance) || isFailing(instance),
    }),
  )
  const touched = [...instances]
    .filter((instance) => [before.instances, attempted, next.instances].every((table) => table.has(instance)))
    .filter((instance) => !isRebooted(instance) && journal.some((entry) => entry.instance === instance))
    .map((instance) => `'${instance}' was not left alone`)
  const problems = [...follow(journal, before.instances).problems, ...counts, ...touched]
  if (problems.length === 0) return []
  const lines = journal.map(
    (entry) => `${rest.includes(entry) ? 'again ' : ''}${entry.event} ${entry.service} (${entry.instance})`,
  )
  return [...problems, ['journal:', ...lines].join('\n    ')]
}

interface CountTerms {
  /** State when the interrupted run ended. */
  readonly middle: Activity
  /** Entries after that. */
  readonly rest: readonly JournalEntry[]
  readonly isWanted: boolean
  readonly mayBeUndone: boolean
}

/** Checks that only the remaining work was done to an instance. An activity that was cut off on a host, or failed, may be undone first. */
function checkCounts(instance: string, { middle, rest, isWanted, mayBeUndone }: CountTerms): readonly string[] {
  const countOf = (event: JournalEntry['event']) =>
    rest.filter((entry) => entry.instance === instance && entry.event === event).length
  const willRun = comesToRun(instance, middle)
  const starts = Number(isWanted && !willRun)
  const stops = Number(!isWanted && willRun)
  const [started, stopped] = [countOf('activating'), countOf('deactivating')]
  const wasUndone = mayBeUndone && stopped === 1
  return [
    ...(started === starts ? [] : [`'${instance}' was started ${started} times after the interruption, not ${starts}`]),
    ...(stopped === stops || wasUndone
      ? []
      : [`'${instance}' was stopped ${stopped} times after the interruption, not ${stops}`]),
  ]
}

/** Whether the instance runs once the activity under way has ended. */
function comesToRun(instance: string, { running, busy }: Activity): boolean {
  const activity = busy.get(instance)
  return activity === undefined ? running.has(instance) : activity === 'activating'
}
