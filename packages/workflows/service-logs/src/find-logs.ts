import { DavitError } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import { callLogs, isUnresolved, listActivityLogs, type Machine, observeMachine, valuesOf } from '@davit/target'

import type { FoundLog } from './found-log.ts'
import type { LogTerms } from './log-terms.ts'
import { say } from './messages.ts'
import { type WantedMapping, wantedMappings } from './wanted-mappings.ts'

/** Finds the logs of the services that are on some targets of a machine, now. */
export async function findLogs(
  machine: Machine<'logs'>,
  targets: readonly TargetName[],
  terms: LogTerms,
): Promise<{ readonly logs: readonly FoundLog[]; readonly services: ReadonlySet<string> }> {
  const wanted = wantedMappings(await observeMachine(machine, terms.profile), targets, terms)
  const own: FoundLog[] = []
  for (const one of wanted) {
    // One after the other, as the helper answers.
    // oxlint-disable-next-line no-await-in-loop
    const isResolved = await resolveSecrets(machine, one, terms)
    // oxlint-disable-next-line no-await-in-loop
    if (isResolved && terms.activities === undefined) own.push(...(await ownLogs(machine, one, terms)))
  }
  const ofActivities = await Promise.all(targets.map((target) => activityLogs(machine, { target, wanted }, terms)))
  return { logs: [...ofActivities.flat(), ...own], services: new Set(wanted.map(({ source }) => source.service)) }
}

/** Resolves what is to be hidden in the logs; returns whether the module can be called. */
async function resolveSecrets(
  { secrets }: Machine<'logs'>,
  { mapping, definition, source: { target, service } }: WantedMapping,
  { report }: LogTerms,
): Promise<boolean> {
  try {
    if (definition !== undefined) await valuesOf(mapping, definition, secrets)
    return true
  } catch (error) {
    if (!isUnresolved(error)) throw error
    const reason = error.diagnostics.map(({ message }) => message).join('; ')
    report(say('log-secrets', { target, service, reason: reason === '' ? error.message : reason }))
    return false
  }
}

const SECONDS = 10
const MAX_BYTES = 64 * 1024
const MAX_LOGS = 100

async function ownLogs(
  machine: Machine<'logs'>,
  { source, mapping, definition, hasLogs, isRecorded }: WantedMapping,
  { profile, report }: LogTerms,
): Promise<readonly FoundLog[]> {
  const { target, service } = source
  if (!hasLogs || definition === undefined) {
    if (isRecorded) report(say('no-own-log', { target, service, type: definition?.service.type ?? 'unknown' }))
    return []
  }
  const called = { mapping, definition }
  const { text, failure } = await callLogs(machine, {
    ...called,
    profile,
    variables: {},
    seconds: SECONDS,
    bytes: MAX_BYTES,
  })
  const lines = text.split('\n').filter((line) => line !== '')
  if (failure !== undefined) {
    report(say('log-module-failed', { target, service, reason: reasonIn(lines, failure) }))
    return []
  }
  return lines.slice(0, MAX_LOGS).flatMap((line): readonly FoundLog[] => {
    const [, path] = /^file (\/.*)$/.exec(line) ?? []
    if (path !== undefined) return [{ kind: 'file', source, path }]
    const [, name] = /^program ([\w.@:-]{1,200})$/.exec(line) ?? []
    if (name !== undefined) return [{ kind: 'program', source, name, called }]
    report(say('strange-log', { target, service, line: line.slice(0, 200) }))
    return []
  })
}

export function reasonIn(lines: readonly string[], status: number): string {
  return lines.at(-1)?.slice(0, 300) ?? `its module ended with status ${status}`
}

async function activityLogs(
  machine: Machine<'logs'>,
  { target, wanted }: { readonly target: TargetName; readonly wanted: readonly WantedMapping[] },
  { profile, activities }: LogTerms,
): Promise<readonly FoundLog[]> {
  const here = wanted.filter(({ mapping }) => mapping.target === target)
  if (here.length === 0) return []
  const sources = new Map(here.map(({ mapping, source }) => [mapping, source]))
  const found = await listActivityLogs(machine, profile, { target, mappings: here.map(({ mapping }) => mapping) })
  return found.flatMap(({ mapping, activity, path }): readonly FoundLog[] => {
    const source = sources.get(mapping)
    const isWanted = activities === undefined || activities === 'all' || activities.has(activity)
    return source === undefined || !isWanted ? [] : [{ kind: 'file', source: { ...source, activity }, path }]
  })
}

/** Whether an error concerns only the machine that is asked. */
export function isOfMachine(error: unknown, { signal }: LogTerms): error is DavitError {
  signal.throwIfAborted()
  return error instanceof DavitError
}
