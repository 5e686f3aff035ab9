import { checkJournal } from './check-journal.ts'
import { differences } from './differences.ts'
import type { Evidence, Goals } from '../drive/round.ts'
import type { Run } from '../drive/run.ts'
import type { JournalEntry, Survey } from '../observe/survey.ts'

/** Checks that after the last run everything is as it should be, and was done exactly once. */
export function checkEnd(evidence: Evidence, goals: Goals): readonly string[] {
  const { stages } = evidence
  const end = stages.at(-1)!.after
  const wanted = [...goals.next.instances.keys()]
  const running = end.flatMap((survey) => survey.running)
  const records = end.flatMap((survey) => survey.records)
  const active = wanted.map((instance) => `${instance} active`)
  return [
    ...differences('processes', wanted, running),
    ...differences('records', active, records),
    ...end.flatMap((survey, index) => checkHost(survey, expectedGenerations(index, evidence), goals)),
    ...end.flatMap((survey) => checkLeft(survey, evidence)),
    ...checkCoordinator(evidence, goals),
    ...checkHolders(evidence),
    ...checkState(evidence, goals),
    ...checkJournal(evidence, goals),
  ]
}

/**
 * Returns the expected number of generations on a host: one for each time that the profile became another one. A reinstalled host has
 * lost its earlier ones. A coordinator that goes back to its own generation makes that of the host current again.
 */
function expectedGenerations(index: number, { start, stages }: Evidence): number {
  const { generations, profile: first } = start[index]!
  let links = generations.map((_, number) => (number === generations.length - 1 ? first : ''))
  let profile = first
  for (const { run, after } of stages) {
    const now = after[index]!
    if (isReinstalled(now, run)) [links, profile] = [[], '']
    const isAgain = run.way === 'aborted' && run.coordinator === 'same' && links.includes(now.profile)
    if (now.profile !== profile && !isAgain) links.push(now.profile)
    profile = now.profile
  }
  return links.length
}

function isReinstalled({ journal }: Survey, { strike, startedAt, endedAt }: Run): boolean {
  const isBoot = ({ event, time }: JournalEntry) => event === 'rebooted' && time > startedAt && time < endedAt
  return strike?.kind === 'reinstall' && journal.some(isBoot)
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
 * know of state that nobody uses, and a host that was reinstalled has lost its own. What has to be confirmed moves no state.
 */
function checkState({ start, stages, fault }: Evidence, { before, next }: Goals): readonly string[] {
  const end = stages.at(-1)!.after
  const isReinstalledAny = stages.some(({ run }) => run.strike?.kind === 'reinstall')
  if (isReinstalledAny || fault.coordinator === 'second') return []
  const moves = (name: string) => hostsOf(name, before).join() !== hostsOf(name, next).join()
  const names = [...new Set(next.instances.values())]
    .filter((name) => [...before.instances.values()].includes(name))
    .filter((name) => fault.trial === 'none' || !moves(name))
  return names.flatMap((name) => differences(`state of ${name}`, rowsOf(name, start, before), rowsOf(name, end, next)))
}

/** The rows of a service on the host where it is. */
function rowsOf(name: string, surveys: readonly Survey[], goal: Goals['next']): readonly string[] {
  const hosts = hostsOf(name, goal)
  return surveys
    .filter(({ host }) => hosts.includes(host))
    .flatMap(({ rows }) => rows.filter((row) => row.startsWith(`${name} `)))
}

function hostsOf(name: string, { instances }: Goals['next']): readonly (string | undefined)[] {
  return [...instances].filter(([, service]) => service === name).map(([instance]) => instance.split(':')[0])
}

function checkLeft({ host, leftFiles, leftProcesses, trial }: Survey, { stages }: Evidence): readonly string[] {
  const isCut = stages.some(({ run }) => run.strike?.kind === 'cut')
  // The receiver may notice only after the next run that the other end has gone. The next transfer or collection removes its files.
  const files = leftFiles.filter((file) => !isCut || !/\/incoming\/transfer\./.test(file))
  return [
    ...differences(`files left on ${host}`, [], files),
    ...differences(`processes left on ${host}`, [], leftProcesses),
    ...(trial === 'none' ? [] : [`${host} may still go back`]),
  ]
}

/** Checks that davit-connect ends with its command, and leaves nothing that the next one does not remove. */
function checkHolders({ holders }: Evidence): readonly string[] {
  return holders.flatMap(({ hasOutlived, leftDirectory }) => [
    ...(hasOutlived ? ['davit-connect did not end with its command'] : []),
    ...(leftDirectory === undefined ? [] : [`davit-connect has left '${leftDirectory}'`]),
  ])
}

function checkCoordinator({ stages, startRecord }: Evidence, { next }: Goals): readonly string[] {
  const last = stages.at(-1)!
  const { generations, manifest, leftFiles, leftProcesses } = last.coordinator
  const own = stages.filter(({ run }) => run.stateDirectory === last.run.stateDirectory)
  const manifests = [startRecord.manifest, ...own.map(({ coordinator }) => coordinator.manifest)]
  const added = manifests.filter((text, index) => index > 0 && text !== manifests[index - 1])
  const expected = startRecord.generations.length + added.length
  return [
    ...(manifest === next.text ? [] : ['the last generation of the coordinator is another manifest']),
    ...differences('number of generations on the coordinator', [String(expected)], [String(generations.length)]),
    ...differences('files left on the coordinator', [], leftFiles),
    ...differences('processes left on the coordinator', [], leftProcesses),
  ]
}
