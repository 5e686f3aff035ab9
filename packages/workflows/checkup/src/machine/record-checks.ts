import { shellWord } from '@davit/diagnostics'
import { type Manifest, type MappingId, mappingIdOf, type TargetName } from '@davit/documents'
import type { DamagedRecord, Observation, ObservedRecord } from '@davit/target'
import { isSettled, isUp } from '@davit/target-runtime'

import { type Check, fine, found } from '../check.ts'
import { type CheckupTerms, deployAgain, forProfile } from '../terms.ts'
import { countOf, listed } from '../words.ts'

/** Looks at the records of a deployment on a machine. */
export function recordChecks(
  observation: Observation,
  targets: readonly TargetName[],
  terms: CheckupTerms,
): readonly Check[] {
  const { records, damaged, strange } = observation
  const findings = [
    ...damaged.map((record) => damagedCheck(record, terms)),
    ...records.filter(isCutOff).map((record) => cutOffCheck(record, terms)),
    ...elsewhereChecks(observation, terms),
    ...unexpectedChecks(observation, targets, terms),
    ...rebootedChecks(observation, terms),
    ...strange.map((directory) => strangeCheck(directory)),
  ]
  const count = records.length + damaged.length
  const told = fine('records', `${countOf(count, 'service')} of '${terms.profile}'${neighbourText(observation)}`)
  return [told, ...findings, ...originalChecks(observation)]
}

function neighbourText({ foreign }: Observation): string {
  const others = [...new Set(foreign.map(({ profile }) => `'${profile}'`))]
  return others.length === 0 ? '' : `, and ${countOf(foreign.length, 'service')} of ${others.join(', ')}`
}

function damagedCheck(record: DamagedRecord, terms: CheckupTerms): Check {
  const { target, container, key, fields, problem, directory } = record
  const name = fields.service?.name ?? terms.expected?.services.get(key)?.name ?? key
  return found('records', 'error', {
    text: `the record of ${name} in ${container} on '${target}' is damaged: ${problem}`,
    means: `somebody has changed ${directory}, or a disk has; a run stops and starts the service with what the manifest says`,
    remedy: deployAgain(terms),
  })
}

function isCutOff({ state, running }: ObservedRecord): boolean {
  return !isSettled(state) && !running
}

function cutOffCheck({ mapping, service, state, hasFailed }: ObservedRecord, terms: CheckupTerms): Check {
  const what = `${state} ${service.name} in ${mapping.container} on '${mapping.target}'`
  return found('records', 'warning', {
    text: hasFailed === true ? `${what} failed, and was not undone` : `${what} was cut off`,
    means: 'it may run or not; the next run tries again',
    remedy: `davit-env --resume${forProfile(terms)}`,
  })
}

/** Services of targets that the infrastructure does not list, as after a target was renamed or removed. */
function elsewhereChecks({ records }: Observation, { infrastructure }: CheckupTerms): readonly Check[] {
  const others = new Set(records.map(({ mapping }) => mapping.target).filter((name) => !infrastructure.has(name)))
  return [...others].map((target) => {
    const names = records.filter(({ mapping }) => mapping.target === target).map(({ service }) => service.name)
    return found('records', 'warning', {
      text: `${listed(names)} of a target '${target}' is here, which is not among the targets`,
      means: 'the target was renamed or removed, and its services were left behind',
      remedy: `deploy again, which takes over what a renamed target has; for a removed one, list '${target}' once more and undeploy it`,
    })
  })
}

function unexpectedChecks(
  { records, damaged }: Observation,
  targets: readonly TargetName[],
  terms: CheckupTerms,
): readonly Check[] {
  const { expected, infrastructure } = terms
  if (expected === undefined) return []
  const recorded = new Set([
    ...records.map(({ mapping }) => mappingIdOf(mapping)),
    ...damaged.map(({ target, container, key }) => mappingIdOf({ target, container, service: key })),
  ])
  const wanted = wantedOn(expected, targets)
  const left = records.filter(({ mapping }) => infrastructure.has(mapping.target) && !wanted.has(mappingIdOf(mapping)))
  const missing = [...wanted].filter(([id]) => !recorded.has(id)).map(([, name]) => name)
  return [...leftChecks(left, terms), ...missingChecks(missing, terms)]
}

function leftChecks(left: readonly ObservedRecord[], terms: CheckupTerms): readonly Check[] {
  if (left.length === 0) return []
  const finding = {
    text: `${listed(left.map(({ service }) => service.name))} is recorded as active, and not deployed`,
    means: 'it was left behind, or another coordinator has deployed it',
    remedy: `davit-reconstruct${forProfile(terms)}, if another one has; otherwise ${deployAgain(terms)}`,
  }
  return [found('records', 'warning', finding)]
}

function missingChecks(missing: readonly string[], terms: CheckupTerms): readonly Check[] {
  if (missing.length === 0) return []
  const finding = {
    text: `${listed(missing)} is deployed, and has no record`,
    means: 'the machine has a new disk, or somebody has removed the record',
    remedy: deployAgain(terms),
  }
  return [found('records', 'warning', finding)]
}

/** Names of the services that should be on these targets, by mapping. */
function wantedOn(expected: Manifest, targets: readonly TargetName[]): ReadonlyMap<MappingId, string> {
  const here = expected.serviceMappings.filter(({ target }) => targets.includes(target))
  return new Map(
    here.map((mapping) => [mappingIdOf(mapping), expected.services.get(mapping.service)?.name ?? mapping.service]),
  )
}

function rebootedChecks({ records, bootId }: Observation, terms: CheckupTerms): readonly Check[] {
  const before = records.filter((record) => isUp(record.state) && record.bootId !== bootId)
  if (before.length === 0) return []
  const finding = {
    text: `the machine was restarted since ${listed(before.map(({ service }) => service.name))} was activated`,
    means: `what does not start by itself is down until the next run; davit-query --status${forProfile(terms)} tells`,
    remedy: deployAgain(terms),
  }
  return [found('restart', 'note', finding)]
}

function strangeCheck(directory: string): Check {
  return found('records', 'warning', {
    text: `'${directory}' is among the records, and davit did not make it`,
    means: 'it is ignored',
    remedy: `ls -la ${shellWord(directory)}`,
  })
}

function originalChecks({ originals }: Observation): readonly Check[] {
  return originals.map(({ profile }) =>
    found('records', 'note', {
      text: `Disnix has a deployment '${profile}' here that davit has not adopted`,
      means: 'davit leaves it alone, and refuses to deploy the same profile',
      remedy: `davit-adopt --help`,
    }),
  )
}
