import type { Evidence, Goals, Stage } from '../drive/round.ts'
import { beginningOf } from '../drive/run.ts'
import { partsOf } from '../inject/points.ts'
import { type JournalEntry, journalOf } from '../observe/survey.ts'
import { type Activity, follow } from '../observe/timeline.ts'
import { resultOf } from './result-of.ts'

/** Returns the entries of the modules since the round began. */
export function journalSince({ start }: Pick<Evidence, 'start'>, after: Evidence['start']): readonly JournalEntry[] {
  return journalOf(after).slice(journalOf(start).length)
}

/** Checks that everything was started and stopped exactly once, and never twice at a time. */
export function checkJournal(evidence: Evidence, goals: Goals): readonly string[] {
  const { stages, interruptions } = evidence
  const { before } = goals
  const journal = journalSince(evidence, stages.at(-1)!.after)
  const isSettled = ({ time }: JournalEntry) => time > beginningOf(stages[interruptions]!.run)
  const counts = stages.flatMap((_, index) =>
    index < interruptions ? [] : checkStage(journal, index, { ...evidence, ...goals }),
  )
  const problems = [...follow(journal, before.instances).problems, ...counts, ...touched(journal, evidence, goals)]
  if (problems.length === 0) return []
  const lines = journal.map(
    (entry) => `${isSettled(entry) ? 'again ' : ''}${entry.event} ${entry.service} (${entry.instance})`,
  )
  return [...problems, ['journal:', ...lines].join('\n    ')]
}

/** Returns the instances of all deployments that were touched all the same. */
function touched(journal: readonly JournalEntry[], { fault }: Evidence, { before, next, all }: Goals) {
  const tables = [before.instances, all[fault.step].instances, next.instances]
  const isRebooted = rebootedIn(journal)
  return [...before.instances.keys()]
    .filter((instance) => tables.every((table) => table.has(instance)))
    .filter((instance) => !isRebooted(instance) && journal.some((entry) => entry.instance === instance))
    .map((instance) => `'${instance}' was not left alone`)
}

function rebootedIn(journal: readonly JournalEntry[]) {
  const hosts = journal.filter(({ event }) => event === 'rebooted').map(({ host }) => `${host}:`)
  return (instance: string) => hosts.some((host) => instance.startsWith(host))
}

/** Checks that a run that was not interrupted did only what was left to do. */
function checkStage(
  journal: readonly JournalEntry[],
  index: number,
  evidence: Evidence & Pick<Goals, 'before' | 'all'>,
) {
  const { stages, before, all } = evidence
  const { run } = stages[index]!
  const result = resultOf(run)
  if (result === 'failed') return []
  const { earlier, rest } = partsAt(index, journal, evidence)
  const middle = follow(earlier, before.instances)
  const mayBeUndone = [rebootedIn(journal), failingIn(stages)]
  const isWaiting = waitingIn(evidence)
  const instances = new Set([before, ...Object.values(all)].flatMap((goal) => [...goal.instances.keys()]))
  return [...instances]
    .filter((instance) => !isWaiting(instance))
    .flatMap((instance) =>
      checkCounts(instance, {
        middle,
        rest,
        isWanted: result === 'reached' ? all[run.step].instances.has(instance) : comesToRun(instance, middle),
        mayBeUndone: mayBeUndone.some((isIt) => isIt(instance)),
      }),
    )
}

/** Returns the entries before a run that was not interrupted, and those of the run. */
function partsAt(index: number, journal: readonly JournalEntry[], { stages, interruptions }: Evidence) {
  const { run } = stages[index]!
  // Requests of an interrupted run may be carried out when the next one has begun.
  const begin = index === interruptions ? beginningOf(run) : run.startedAt
  const end = stages[index + 1]?.run.startedAt
  return {
    earlier: journal.filter(({ time }) => time <= begin),
    rest: journal.filter(({ time }) => time > begin && (end === undefined || time <= end)),
  }
}

function failingIn(stages: readonly Stage[]) {
  const hosts = stages.flatMap(({ run: { strike } }) => (strike?.kind === 'fail' ? [partsOf(strike.point).host] : []))
  return (instance: string) => hosts.some((host) => instance.startsWith(`${host}:`))
}

/** Hosts that go back only once the run connects to them, so that they do more than what is left. */
function waitingIn({ back = [] }: Evidence) {
  const hosts = back.filter(({ trial }) => trial === 'waiting').map(({ host }) => `${host}:`)
  return (instance: string) => hosts.some((host) => instance.startsWith(host))
}

interface CountTerms {
  /** State when the run began. */
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
  const [started, stopped] = [countOf('activating'), countOf('deactivating')]
  const wasUndone = mayBeUndone && stopped === 1
  const starts = Number(isWanted && (!willRun || wasUndone))
  const stops = Number(!isWanted && willRun)
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
