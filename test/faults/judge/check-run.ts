import { checkClaims } from './check-claims.ts'
import { journalSince } from './check-journal.ts'
import { differences } from './differences.ts'
import { isMishap, isOfHolder, type Strike } from '../inject/fault.ts'
import type { Evidence, Goals } from '../drive/round.ts'
import { partsOf } from '../inject/points.ts'
import type { Line, Run } from '../drive/run.ts'
import { isManifestOf } from '../drive/system.ts'
import { saidIn } from '../observe/said.ts'
import { hasDoneNothing, resultOf } from './result-of.ts'
import { follow } from '../observe/timeline.ts'

/** Checks that status and messages of a run were true. */
export function checkRun(evidence: Evidence, index: number, goals: Goals): readonly string[] {
  const { stages } = evidence
  const { run } = stages[index]!
  const problems = [
    ...checkStatus(run),
    ...checkWords(run),
    ...checkDone(evidence, index, goals),
    ...checkReached(evidence, index, goals),
    ...checkSaid(evidence, index, goals),
  ]
  return problems.map((problem) => `run ${index + 1}: ${problem}`)
}

function checkStatus(run: Run): readonly string[] {
  const { step, strike, isStruck, status } = run
  const usual = step === 'failing' ? 1 : 0
  const expected = isStruck && strike !== undefined ? statusesOf(strike, usual) : [usual]
  if (hasDoneNothing(run)) return []
  return expected.includes(status) ? [] : [`it ended with status ${status}, not with ${expected.join(' or ')}`]
}

const LOCKED = 75
const SIGNALLED: Readonly<Record<string, number>> = { INT: 130, TERM: 143, HUP: 129 }

/** More statuses for kinds that make the disk full, or take the lock with the disk. */
const MORE_STATUSES: Readonly<Record<string, readonly number[]>> = { fill: [73], reinstall: [LOCKED] }

/** Returns the possible statuses. A signal that comes after everything is done does not change the status. */
function statusesOf({ kind, point }: Strike, usual: number): readonly (number | null)[] {
  // Tools go on with connections of their own.
  if (isOfHolder(kind)) return [usual]
  const [, signal = ''] = kind.split(':')
  if (isMishap(kind)) return [0, 1, 2, 3, 69, ...(MORE_STATUSES[kind] ?? [])]
  if (signal === 'KILL') return [null]
  return [usual, SIGNALLED[signal]!, ...(isBeforeHandlers(point) ? [null] : [])]
}

function checkWords({ status, strike, said }: Run): readonly string[] {
  const lines = said()
  const codes = lines.flatMap((line) => saidIn(line)?.code ?? [])
  const isError = lines.some((line) => saidIn(line)?.kind === 'error')
  const isBug =
    codes.includes('internal-error') || lines.some(({ text }) => /^ {4}at |nothing is left to wait/.test(text))
  const mustSpeak = ![null, 0].includes(status) && !mayBeSilent(codes, strike)
  return [...(isBug ? ['it was a bug'] : []), ...(mustSpeak && !isError ? ['it did not say why it ended'] : [])]
}

/** Whether davit-env has not begun yet, so that a signal ends it as any process. */
function isBeforeHandlers(point: string): boolean {
  const { tool, moment } = partsOf(point)
  return tool === 'davit-env' && moment === 'begin'
}

/** Whether a tool may end without an error: at a second signal, or before it handles signals. */
function mayBeSilent(codes: readonly string[], strike: Run['strike']): boolean {
  if (strike === undefined) return false
  const wasStopped = strike.kind.startsWith('twice:') && codes.includes('stopping')
  return wasStopped || partsOf(strike.point).moment === 'begin'
}

/** Checks that a run with status 0 has done everything, except on hosts that were rebooted without its knowledge. */
function checkDone(evidence: Evidence, index: number, { all }: Goals): readonly string[] {
  const { run, after } = evidence.stages[index]!
  if (run.status !== 0 || hasDoneNothing(run)) return []
  const { rebooted } = worldlyChanges(evidence, index)
  const isAlive = (instance: string) => !rebooted.has(instance.split(':', 1)[0] ?? '')
  const running = after.flatMap((survey) => survey.running)
  const wanted = [...all[run.step].instances.keys()]
  return differences('it ended with 0, but of its processes', wanted.filter(isAlive), running.filter(isAlive))
}

/** Checks that a run that resumed or aborted another one, with status 0, has left nothing to do for the next one. */
function checkReached({ stages, interruptions }: Evidence, index: number, { all }: Goals): readonly string[] {
  const { run, after, coordinator } = stages[index]!
  if (index < interruptions || run.way === 'repeated' || resultOf(run) !== 'reached') return []
  const { profiles } = all[run.step]
  return [
    ...after.flatMap(({ host, profile }) => differences(`profile on ${host}`, [profiles.get(host) ?? ''], [profile])),
    ...(isManifestOf(all[run.step], coordinator.manifest)
      ? []
      : ['the last generation of the coordinator is another manifest']),
  ]
}

/** Checks messages. Those that were printed after the survey are compared with a later one. */
function checkSaid(evidence: Evidence, index: number, goals: Goals): readonly string[] {
  const { run, surveyedAt, late, ...soon } = evidence.stages[index]!
  const world = worldOf(evidence, index, goals)
  const isSoon = ({ time }: Line) => index === evidence.stages.length - 1 || time <= surveyedAt
  return [
    ...checkClaims({ ...world, ...soon }, run.said().filter(isSoon)),
    ...checkClaims(
      { ...world, ...late },
      run.said().filter((line) => !isSoon(line)),
    ),
  ]
}

function worldOf(evidence: Evidence, index: number, { before, all }: Goals) {
  const { run } = evidence.stages[index]!
  const last = evidence.stages.at(-1)!.after
  const journal = journalSince(evidence, last)
  const stateAt = (time: bigint) =>
    follow(
      journal.filter((entry) => entry.time <= time),
      before.instances,
    )
  return {
    before,
    attempted: all[run.step],
    names: new Map(Object.values(all).flatMap(({ instances }) => [...instances])),
    run,
    start: index === 0 ? evidence.start : evidence.stages[index - 1]!.after,
    journal: journal.filter(({ time }) => time >= run.startedAt),
    stateAt,
    isAlone: evidence.stages.slice(0, index).every(({ goneAt }) => goneAt <= run.startedAt),
    boots: new Set(journal.filter(({ event }) => event === 'rebooted').map(({ host }) => host)),
    ...worldlyChanges(evidence, index),
  }
}

function worldlyChanges({ stages }: Evidence, index: number) {
  const { run, after } = stages[index]!
  const rebooted = new Set(
    after
      .filter(({ journal }) => journal.some(({ event, time }) => event === 'rebooted' && time >= run.startedAt))
      .map(({ host }) => host),
  )
  const reinstalled: ReadonlySet<string> = run.strike?.kind === 'reinstall' ? rebooted : new Set<string>()
  return { rebooted: rebooted as ReadonlySet<string>, reinstalled }
}
