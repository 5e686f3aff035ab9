import { differences } from './differences.ts'
import { partsOf } from '../inject/points.ts'
import type { Evidence, Goals, Stage } from '../drive/round.ts'
import type { Survey } from '../observe/survey.ts'
import type { Goal } from '../drive/system.ts'

/**
 * Checks that each host runs exactly what it ran before an interrupted run that was to confirm its deployment, or exactly what that has
 * deployed; the latter everywhere if the run has ended with 0.
 */
export function checkBack(evidence: Evidence, goals: Goals): readonly string[] {
  const interrupted = evidence.stages.slice(0, evidence.interruptions)
  const hosts = (evidence.back ?? []).filter((survey) => !mayDiffer(survey, interrupted))
  const complete = interrupted.findLast(({ run: { status } }) => status === 0)
  const attempted = interrupted.map(({ run }) => run.step).filter((step) => step !== 'failing')
  const possible =
    complete === undefined
      ? [goals.before, ...attempted.map((step) => goals.all[step])]
      : [goals.all[complete.run.step]]
  return hosts.flatMap((survey) => checkHost(survey, possible))
}

function checkHost({ host, running, records, trial }: Survey, possible: readonly Goal[]): readonly string[] {
  const found = possible.map(({ instances }) => {
    const wanted = [...instances.keys()].filter((instance) => instance.startsWith(`${host}:`))
    const active = wanted.map((instance) => `${instance} active`)
    return [...differences('processes', wanted, running), ...differences('records', active, records)]
  })
  const isOne = found.some((problems) => problems.length === 0)
  return [
    ...(trial === 'none' ? [] : [`${host} did not go back by itself`]),
    ...(isOne ? [] : found.map((problems) => `${host} was neither before nor after the run: ${problems.join(', ')}`)),
  ]
}

/** Whether a host was restarted or reinstalled, or could not start and stop services while it was to go back. */
function mayDiffer({ host, journal }: Survey, interrupted: readonly Stage[]): boolean {
  const begin = interrupted[0]?.run.startedAt ?? 0n
  if (journal.some(({ event, time }) => event === 'rebooted' && time > begin)) return true
  return interrupted.some(
    ({ run: { strike } }) =>
      strike !== undefined && ['fail', 'fill'].includes(strike.kind) && partsOf(strike.point).host === host,
  )
}
