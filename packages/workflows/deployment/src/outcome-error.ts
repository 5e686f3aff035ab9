import { DavitError } from '@davit/diagnostics'
import { removesRecord, startsService, stopsService } from '@davit/target-runtime'
import { type Activity, targetLabelOf } from '@davit/transition'
import type { ActivityFailure, TransitionOutcome } from '@davit/transition-runner'

type Unsuccessful = Exclude<TransitionOutcome, { kind: 'completed' }>

const MESSAGES = {
  'rolled-back': 'everything is as it was before',
  'old-services-lost': 'the new services are gone, and not all of the old ones could be activated again',
  'new-services-left': 'not all of the new services could be deactivated',
  failed: 'it was left as it is',
  'lock-lost': 'the lock was lost, and nothing more was done',
} satisfies Record<Unsuccessful['kind'], string>

/** Messages for outcomes in which it is uncertain whether any service is concerned. */
const UNCERTAIN = new Map<Unsuccessful['kind'], string>([
  ['old-services-lost', 'the new services are gone, and it is not known whether all of the old ones are active'],
  ['new-services-left', 'it is not known whether all of the new services are gone'],
])

/** Error of a deployment that did not succeed: what failed, what was done about it, and how to continue. */
export function outcomeError(outcome: Unsuccessful, exitStatus: number): DavitError {
  const beginning =
    outcome.failures.length === 0 && outcome.interrupted ? 'the transition was interrupted' : 'the transition failed'
  const unresolved = outcome.kind === 'rolled-back' ? [] : outcome.rollbackFailures
  return new DavitError(
    outcome.kind === 'rolled-back' ? 'rolled-back' : 'transition-failed',
    `${beginning}: ${messageOf(outcome)}`,
    {
      exitStatus,
      fields: factsOf(outcome),
      diagnostics: [...outcome.failures, ...unresolved].map((failure) => ({
        severity: 'error',
        message: `${FAILURES[failure.ending]} ${nameOf(failure.activity)}: ${failure.message}${logText(failure.log)}`,
      })),
      hint: [hintOf(outcome), ...waysOut([...outcome.failures, ...unresolved])].join('; '),
    },
  )
}

function factsOf(outcome: Unsuccessful) {
  if (outcome.kind === 'rolled-back') return { outcome: outcome.kind, remaining: [], unknown: [] }
  const unknown = new Set(outcome.unknown)
  const certain = outcome.remaining.filter((activity) => !unknown.has(activity))
  return { outcome: outcome.kind, remaining: certain.map(subjectOf), unknown: outcome.unknown.map(subjectOf) }
}

function subjectOf({ kind, service, mapping }: Activity) {
  return { activity: kind, service: service.name, target: mapping.target }
}

const FAILURES = {
  failed: 'cannot',
  'not-begun': 'cannot begin to',
  unknown: 'cannot tell what became of the request to',
} satisfies Record<ActivityFailure['ending'], string>

function messageOf(outcome: Unsuccessful): string {
  if (outcome.kind === 'rolled-back') return MESSAGES[outcome.kind]
  const isDecisive = outcome.kind === 'new-services-left' ? stopsService : startsService
  const unknown = new Set(outcome.unknown)
  const isKnown = outcome.remaining.some((activity) => isDecisive(activity.kind) && !unknown.has(activity))
  return (isKnown ? undefined : UNCERTAIN.get(outcome.kind)) ?? MESSAGES[outcome.kind]
}

const AGAIN = 'the same command tries again'

function hintOf(outcome: Unsuccessful): string {
  if (outcome.kind === 'rolled-back') return outcome.failures.length === 0 ? AGAIN : `fix the cause; then ${AGAIN}`
  const unknown = new Set(outcome.unknown)
  const certain = outcome.remaining.filter((activity) => !unknown.has(activity))
  return [
    'the same command continues from here',
    ...(certain.length === 0 ? [] : [`what remains: ${certain.map(nameOf).join(', ')}`]),
    ...(unknown.size === 0 ? [] : [`unknown until the next run: ${namesOf(outcome.unknown)}`]),
  ].join('; ')
}

/** Hints for users whose repeated attempts keep failing. */
function waysOut(failures: readonly ActivityFailure[]): readonly string[] {
  const names = failures
    .filter(({ activity, ending }) => removesRecord(activity.kind) && ending === 'failed')
    .map(({ activity }) => activity.service.name)
  const stuck = [...new Set(names)].map((name) => `--abandon ${name}`)
  return stuck.length === 0 ? [] : [`the same command with '${stuck.join(' ')}' gives up what cannot be stopped`]
}

/** Names the services concerned, each once. */
function namesOf(activities: readonly Activity[]): string {
  const names = activities.map((activity) => `whether ${placeOf(activity)} runs`)
  return [...new Set(names)].join(', ')
}

function nameOf(activity: Activity): string {
  return `${activity.kind} ${placeOf(activity)}`
}

function placeOf(activity: Activity): string {
  return `'${activity.service.name}' on '${targetLabelOf(activity)}'`
}

function logText(log = ''): string {
  const text = log.trimEnd()
  return text === '' ? '' : `\n${text.replace(/^/gm, '    ')}`
}
