import type { LogTerms } from '@davit/service-logs'
import {
  type ArgumentsOf,
  noService,
  onlyTargets,
  parseSince,
  type TargetSource,
  type ToolContext,
  usageError,
} from '@davit/tool'

import type { description } from './description.ts'

export type Arguments = ArgumentsOf<typeof description.options, typeof description.operands>

const LINES = 100
/** With `--since`; more has no place in memory. */
const MANY_LINES = 100_000

/** Turns arguments into what is to be read. */
export function logTermsOf(
  { args, report, signal }: ToolContext<Arguments>,
  { profile, infrastructure, expected }: TargetSource & Pick<LogTerms, 'profile'>,
): LogTerms {
  const since = args.since === undefined ? undefined : parseSince(args.since, new Date()).getTime()
  return {
    profile,
    expected,
    since,
    report,
    signal,
    infrastructure: onlyTargets(infrastructure, args.target),
    services: new Set(args.service),
    containers: args.container.length === 0 ? undefined : new Set(args.container),
    activities: activitiesIn(args),
    lines: args.lines ?? (since === undefined ? LINES : MANY_LINES),
  }
}

/** Refuses arguments that no target need be asked about. */
export function checkArguments({ service, since }: Arguments): void {
  if (service.length === 0) throw usageError('no service is named', "'davit-query' lists those that are active")
  if (since !== undefined) parseSince(since, new Date())
}

function activitiesIn({ activity, onlyActivity }: Arguments): LogTerms['activities'] {
  if (onlyActivity.length > 0) return new Set(onlyActivity)
  return activity ? 'all' : undefined
}

/** Refuses names of services that are nowhere, since whoever pipes the logs would take nothing for an answer. */
export function refuseUnknown({ services, expected }: LogTerms, found: ReadonlySet<string>): void {
  const unknown = [...services].filter((name) => !found.has(name))
  if (unknown.length > 0) throw noService(unknown, expected)
}
