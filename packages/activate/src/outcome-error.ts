import { DavitError } from '@davit/diagnostics'
import type { Activity } from '@davit/transition'
import type { TransitionOutcome } from '@davit/transition-runner'

type Unsuccessful = Exclude<TransitionOutcome, { kind: 'completed' }>

const MESSAGES = {
  'rolled-back': 'all is as it was before',
  'old-services-lost': 'the new services are gone, and not all of the old ones could be activated again',
  'new-services-left': 'not all of the new services could be deactivated',
  failed: 'it was left as it is',
  'lock-lost': 'the lock was lost, and nothing more was done',
} satisfies Record<Unsuccessful['kind'], string>

/** What a deployment that did not succeed ends with: what failed, what was done about it, and how to go on. */
export function outcomeError(outcome: Unsuccessful, exitStatus: number): DavitError {
  const beginning =
    outcome.failures.length === 0 && outcome.interrupted ? 'the transition was interrupted' : 'the transition failed'
  const unresolved = outcome.kind === 'rolled-back' ? [] : outcome.rollbackFailures
  const remaining = outcome.kind === 'rolled-back' ? [] : outcome.remaining
  return new DavitError(
    outcome.kind === 'rolled-back' ? 'rolled-back' : 'transition-failed',
    `${beginning}: ${MESSAGES[outcome.kind]}`,
    {
      exitStatus,
      diagnostics: [...outcome.failures, ...unresolved].map(({ activity, message, log }) => ({
        severity: 'error',
        message: `cannot ${nameOf(activity)}: ${message}${logText(log)}`,
      })),
      hint: hintOf(outcome, remaining),
    },
  )
}

function hintOf(outcome: Unsuccessful, remaining: readonly Activity[]): string {
  if (outcome.kind === 'rolled-back') return 'the same command tries again'
  const names = remaining.map(nameOf).join(', ')
  return `the same command goes on from here${names === '' ? '' : `; what remains: ${names}`}`
}

function nameOf({ kind, service, mapping }: Activity): string {
  return `${kind} '${service.name}' on '${mapping.target}'`
}

function logText(log = ''): string {
  const text = log.trimEnd()
  return text === '' ? '' : `\n${text.replace(/^/gm, '    ')}`
}
