import { checkJournal } from './check-journal.ts'
import { differences } from './differences.ts'
import type { Evidence, Goals } from '../drive/round.ts'
import type { Survey } from '../observe/survey.ts'

/** Checks that after the last run everything is as it should be, and was done exactly once. */
export function checkEnd(evidence: Evidence, goals: Goals): readonly string[] {
  const { start, stages } = evidence
  const end = stages.at(-1)!.after
  const wanted = [...goals.next.instances.keys()]
  const running = end.flatMap((survey) => survey.running)
  const records = end.flatMap((survey) => survey.records)
  const active = wanted.map((instance) => `${instance} active`)
  return [
    ...differences('processes', wanted, running),
    ...differences('records', active, records),
    ...end.flatMap((survey, index) => checkHost(survey, expectedGenerations(start[index]!, evidence, goals), goals)),
    ...end.flatMap((survey) => checkLeft(survey, evidence)),
    ...checkCoordinator(evidence, goals),
    ...checkHolders(evidence),
    ...checkState(evidence, goals),
    ...checkJournal(evidence, goals),
  ]
}

/** Returns the expected number of generations on a host. A reinstalled host has lost its earlier ones. */
function expectedGenerations({ host, generations }: Survey, { stages }: Evidence, { before, next }: Goals): number {
  const isSame = before.profiles.get(host) === next.profiles.get(host)
  const isReinstalled = stages.some(({ run, after }) => {
    const boots =
      after.find((survey) => survey.host === host)?.journal.filter(({ event }) => event === 'rebooted') ?? []
    return run.strike?.kind === 'reinstall' && boots.some(({ time }) => time > run.startedAt && time < run.endedAt)
  })
  return isReinstalled ? 1 : generations.length + (isSame ? 0 : 1)
}

function checkHost(survey: Survey, expected: number, { next }: Goals): readonly string[] {
  const { host, profile, generations } = survey
  return [
    ...differences(`profile on ${host}`, [next.profiles.get(host) ?? ''], [profile]),
    ...differences(`number of generations on ${host}`, [String(expected)], [String(generations.length)]),
  ]
}

/**
 * Checks that every row of the beginning is where its service is in the end, and nothing else. A coordinator that knows nothing cannot
 * know of state that nobody uses, and a host that was reinstalled has lost its own.
 */
function checkState({ start, stages, fault }: Evidence, { before, next }: Goals): readonly string[] {
  const end = stages.at(-1)!.after
  const isReinstalled = stages.some(({ run }) => run.strike?.kind === 'reinstall')
  if (isReinstalled || fault.coordinator === 'second') return []
  const names = [...new Set(next.instances.values())].filter((name) => [...before.instances.values()].includes(name))
  return names.flatMap((name) => differences(`state of ${name}`, rowsOf(name, start, before), rowsOf(name, end, next)))
}

/** The rows of a service on the host where it is. */
function rowsOf(name: string, surveys: readonly Survey[], { instances }: Goals['next']): readonly string[] {
  const hosts = [...instances].filter(([, service]) => service === name).map(([instance]) => instance.split(':')[0])
  return surveys
    .filter(({ host }) => hosts.includes(host))
    .flatMap(({ rows }) => rows.filter((row) => row.startsWith(`${name} `)))
}

function checkLeft({ host, leftFiles, leftProcesses }: Survey, { stages }: Evidence): readonly string[] {
  const isCut = stages.some(({ run }) => run.strike?.kind === 'cut')
  // The receiver may notice only after the next run that the other end has gone. The next transfer or collection removes its files.
  const files = leftFiles.filter((file) => !isCut || !/\/incoming\/transfer\./.test(file))
  return [
    ...differences(`files left on ${host}`, [], files),
    ...differences(`processes left on ${host}`, [], leftProcesses),
  ]
}

/** Checks that davit-connect ends with its command, and leaves nothing that the next one does not remove. */
function checkHolders({ holders }: Evidence): readonly string[] {
  return holders.flatMap(({ hasOutlived, leftDirectory }) => [
    ...(hasOutlived ? ['davit-connect did not end with its command'] : []),
    ...(leftDirectory === undefined ? [] : [`davit-connect has left '${leftDirectory}'`]),
  ])
}

function checkCoordinator({ stages, startGenerations }: Evidence, { next }: Goals): readonly string[] {
  const { generations, manifest, leftFiles, leftProcesses } = stages.at(-1)!.coordinator
  const expected = startGenerations.length + 1
  return [
    ...(manifest === next.text ? [] : ['the last generation of the coordinator is another manifest']),
    ...differences('number of generations on the coordinator', [String(expected)], [String(generations.length)]),
    ...differences('files left on the coordinator', [], leftFiles),
    ...differences('processes left on the coordinator', [], leftProcesses),
  ]
}
