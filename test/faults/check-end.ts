import { checkJournal } from './check-journal.ts'
import { differences } from './differences.ts'
import type { Evidence, Goals } from './round.ts'
import type { Survey } from './survey.ts'

/** Whether after the second run all is as it should be, and was done just once. */
export function checkEnd(evidence: Evidence, goals: Goals): readonly string[] {
  const { start, end } = evidence
  const wanted = [...goals.next.instances.keys()]
  return [
    ...differences(
      'processes',
      wanted,
      end.flatMap(({ running }) => running),
    ),
    ...differences(
      'records',
      wanted.map((instance) => `${instance} active`),
      end.flatMap(({ records }) => records),
    ),
    ...end.flatMap((survey, index) => checkHost(survey, start[index]!, goals)),
    ...checkCoordinator(evidence, goals),
    ...checkJournal(evidence, goals),
  ]
}

function checkHost(survey: Survey, earlier: Survey, { before, next }: Goals): readonly string[] {
  const { host, profile, generations, leftFiles, leftProcesses } = survey
  const isSame = before.profiles.get(host) === next.profiles.get(host)
  const expected = earlier.generations.length + (isSame ? 0 : 1)
  return [
    ...differences(`profile on ${host}`, [next.profiles.get(host) ?? ''], [profile]),
    ...differences(`number of generations on ${host}`, [String(expected)], [String(generations.length)]),
    ...differences(`files left on ${host}`, [], leftFiles),
    ...differences(`processes left on ${host}`, [], leftProcesses),
  ]
}

function checkCoordinator({ coordinator, startGenerations }: Evidence, { next }: Goals): readonly string[] {
  const { generations, manifest, leftFiles } = coordinator
  const expected = startGenerations.length + 1
  return [
    ...(manifest === next.text ? [] : ['the last generation of the coordinator is another manifest']),
    ...differences('number of generations on the coordinator', [String(expected)], [String(generations.length)]),
    ...differences('files left on the coordinator', [], leftFiles),
  ]
}
